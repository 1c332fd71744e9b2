# SPDX-License-Identifier: Apache-2.0
"""Bench of nps_regs: every field of the map by its kind, coherent reads, windows, random traffic against a model."""

import random
from collections import Counter, deque

import cocotb
from cocotb.triggers import RisingEdge

from npuscope.layout import FORMAT_MAJOR, FORMAT_MINOR, THRESHOLDS
from tb.nps_regs.map import PARAMETERS, Kind, Model, the_map
from tb.signals import bursts, known, start
from tb.vip.axil import OKAY, SLVERR, AxilMaster

SHOWN = 5  # clocks from a write's last handshake to the first in which its field or command shows


def fields(*kinds):
    """(register, field, port) of all fields of these kinds."""
    return [(r, f, r.port(f)) for r in the_map().registers if not r.window for f in r.fields if f.kind in kinds]


def windows():
    return [r for r in the_map().registers if r.window]


async def setup(dut):
    """Clock, reset, master; all status and events 0; window words answered by ``Windows``."""
    idle = ["s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "s_axil_bready", "s_axil_rready"]
    idle += [port for _, _, port in fields(Kind.STATUS, Kind.KEPT)]
    idle += [f"{port}_set" for _, _, port in fields(Kind.EVENT)]
    await start(dut, *idle)
    await RisingEdge(dut.clk)
    master = AxilMaster(dut)
    master.watch()
    cocotb.start_soon(answer_windows(dut))
    await RisingEdge(dut.clk)
    return master


def window_word(name, index):
    """What the bench keeps in a window."""
    return random.Random(f"{name}{index}").getrandbits(32)


async def answer_windows(dut):
    """Each word comes three clocks after its index, garbage before."""
    ages = {}
    while True:
        await RisingEdge(dut.clk)
        for register in windows():
            name = register.name.lower()
            index = getattr(dut, f"{name}_index").value
            if not index.is_resolvable:  # before the first access
                continue
            last, age = ages.get(name, (None, 0))
            age = age + 1 if index == last else 0
            ages[name] = index, age
            # seen a clock late and driven for the clock after: the third clock behind the index
            word = window_word(name, int(index)) if age >= 1 else random.getrandbits(32)
            getattr(dut, f"{name}_word").value = word


async def write(master, address, data, strobe=0xF):
    assert await master.write(address, data, strobe) == OKAY


async def read(master, address):
    data, response = await master.read(address)
    assert response == OKAY
    return data


@cocotb.test()
async def test_reset_values(dut):
    """After reset each register reads what the map says, and the limits are those of the threshold book."""
    master = await setup(dut)
    model = Model()
    for address, (register, _) in model.at.items():
        if not register.window:
            assert await read(master, address) == model.read(address), register.name
    t = {name: entry.value for name, entry in THRESHOLDS.items()}
    regs = {r.name: r.address for r in the_map().registers}
    limits = t["TH_ON"] | t["TH_OFF"] << 6 | t["LEVEL_STEP"] << 12 | t["DWELL_SHIFT"] << 18 | t["TH_WET"] << 24
    counts = t["R_RUN"] | t["R_REARM"] << 8 | PARAMETERS["S_COUNT"] << 16 | t["A_BUDGET"] << 24
    expected = {
        "ID": int.from_bytes(b"NPS1", "big"),
        "STREAM": FORMAT_MAJOR << 16 | FORMAT_MINOR,
        "CAPS": PARAMETERS["NUM_BP"] | PARAMETERS["JITTER"] << 8 | PARAMETERS["RAS"] << 9 | PARAMETERS["TOKEN"] << 10,
        "DESC_HASH_LO": PARAMETERS["DESC_HASH_LO"],
        "DESC_HASH_HI": PARAMETERS["DESC_HASH_HI"],
        "CLK_PERIOD": PARAMETERS["CLK_PERIOD_PS"],
        "BP_LIMITS": limits,
        "BP_STALE": t["STALE_NS"],
        "T_NOMINAL_LO": t["T_NOMINAL"] & 0xFFFFFFFF,
        "T_NOMINAL_HI": t["T_NOMINAL"] >> 32 | t["JITTER_OPTIONS"] << 16,
        "WATCHDOG": t["WATCHDOG"],
        "R_LIMIT": t["R_LIMIT"],
        "A_LIMIT": t["A_LIMIT"],
        "S_LIMIT": t["S_LIMIT"],
        "RAS_COUNTS": counts,
        "S_WINDOW": t["S_WINDOW"],
        "A_HOLDOFF": t["A_HOLDOFF"],
        "MEM_LOW": t["MEM_LOW_ON"] | t["MEM_LOW_OFF"] << 16,
    }
    for name, value in expected.items():
        assert await read(master, regs[name]) == value, name
    assert known(dut.bp_limits_th_on) == t["TH_ON"]
    assert known(dut.t_nominal_lo) | known(dut.t_nominal_hi_hi) << 32 == t["T_NOMINAL"]


@cocotb.test()
async def test_every_field(dut):
    """Bit by bit: a configuration bit shows at its own port and reads back; of no other field anything moves."""
    master, model = await setup(dut), Model()
    ports = {port: (r.name, f.name) for r, f, port in fields(Kind.CONFIG) if f.visible}
    compared = 0
    for register in the_map().registers:
        if register.window:
            continue
        stored = any(field.kind is Kind.CONFIG for field in register.fields)
        for data in [0, 0xFFFFFFFF, *(1 << bit for bit in range(32) if stored)]:
            address = register.address + 4 * random.randrange(register.words)
            await write(master, address, data)
            model.write(address, data, 15)
            assert await read(master, address) == model.read(address), (register.name, hex(data))
            for port, key in ports.items():
                assert known(getattr(dut, port)) == model.value[key], (register.name, hex(data), port)
                compared += 1
    assert compared > 10_000


@cocotb.test()
async def test_every_status(dut):
    """Each status bit reads as its input is, and nowhere else; writing does nothing."""
    master, model = await setup(dut), Model()
    for register, field, port in fields(Kind.STATUS, Kind.KEPT):
        for value in {0, (1 << field.width) - 1, *(1 << bit for bit in range(field.width))}:
            getattr(dut, port).value = value
            model.value[register.name, field.name] = value
            await write(master, register.address, random.getrandbits(32))
            for word in range(register.words):
                address = register.address + 4 * word
                assert await read(master, address) == model.read(address), (port, value)
        getattr(dut, port).value = 0
        model.value[register.name, field.name] = 0


class Pulses:
    """Counts the clocks in which each command is 1."""

    def __init__(self, dut):
        self.dut, self.high, self.values = dut, Counter(), {}
        self.ports = [port for _, _, port in fields(Kind.PULSE)]
        self.ports += [f"{port}_clear" for _, _, port in fields(Kind.KEPT)]
        self.ports += [f"{port}_written" for _, _, port in fields(Kind.VALUE)]
        cocotb.start_soon(self.run())

    async def run(self):
        while True:
            await RisingEdge(self.dut.clk)
            for port in self.ports:
                if known(getattr(self.dut, port)):
                    self.high[port] += 1
                    if port.endswith("_written"):
                        self.values[port] = known(getattr(self.dut, port.removesuffix("_written")))


@cocotb.test()
async def test_every_command(dut):
    """A 1 written makes one pulse of one clock at its own port; a 0, or a byte that is not written, none."""
    master = await setup(dut)
    pulses = Pulses(dut)
    for register in the_map().registers:
        if register.window:
            continue
        commands = [f for f in register.fields if f.kind in (Kind.PULSE, Kind.KEPT, Kind.VALUE)]
        used = {bit for f in commands for bit in range(f.lsb, f.lsb + min(f.width, 8))}
        for strobe in (0b1111, 0b0001, 0b1110, 0b0000):
            lanes = sum(0xFF << 8 * i for i in range(4) if strobe >> i & 1)
            for data in [0xFFFFFFFF, *(1 << bit for bit in sorted(used)), *(1 << 31 for _ in commands[:1])]:
                pulses.high.clear()
                await write(master, register.address, data, strobe)
                expected = Counter()
                for field in commands:
                    port, hit = register.port(field), field.mask & lanes & data
                    if field.kind is Kind.PULSE and hit:
                        expected[port] = 1
                    elif field.kind is Kind.KEPT and hit:
                        expected[f"{port}_clear"] = 1
                    elif field.kind is Kind.VALUE and field.mask & lanes:
                        expected[f"{port}_written"] = 1
                        if strobe == 15:
                            assert pulses.values[f"{port}_written"] == (data & field.mask) >> field.lsb
                assert pulses.high == expected, (register.name, data, strobe)


@cocotb.test()
async def test_a_set_beats_a_clear(dut):
    """An event in the clock of its own clear, in any clock before and after: only those before are cleared."""
    master = await setup(dut)
    for register, field, port in fields(Kind.EVENT):
        event = getattr(dut, f"{port}_set")
        stays = []
        for when in range(2 * SHOWN):
            await write(master, register.address, field.mask)
            for _ in range(30):
                await RisingEdge(dut.clk)
            task = cocotb.start_soon(master.write(register.address, field.mask))
            while not (known(dut.s_axil_wvalid) and known(dut.s_axil_wready)):
                await RisingEdge(dut.clk)
            for clock in range(2 * SHOWN):
                event.value = int(clock == when)
                await RisingEdge(dut.clk)
            event.value = 0
            assert await task == OKAY
            stays.append(await read(master, register.address) == field.mask)
        # the clear is in the clock before it shows; the event of that clock wins
        assert stays == [clock >= SHOWN - 2 for clock in range(2 * SHOWN)], port
        await write(master, register.address, field.mask)


@cocotb.test()
async def test_events_interrupt(dut):
    """Events are kept, read raw and masked, cleared one by one; the interrupt is the OR of what is masked in."""
    master, model = await setup(dut), Model()
    found = {r.name: r for r in the_map().registers}
    mask, status = found["INT_MASK"], found["INT_STATUS"]
    events = fields(Kind.EVENT)
    kept = list({register.name: register for register, _, _ in events}.values())
    seen = Counter()
    for _ in range(120):
        for register, field, port in events:
            if random.random() < 0.15:
                model.value[register.name, field.name] = 1
                getattr(dut, f"{port}_set").value = 1
        await RisingEdge(dut.clk)
        for _, _, port in events:
            getattr(dut, f"{port}_set").value = 0
        register = random.choice([*kept, mask])
        data = random.getrandbits(32) & random.getrandbits(32)
        await write(master, register.address, data)
        model.write(register.address, data, 15)
        for register in (*kept, mask, status):
            assert await read(master, register.address) == model.read(register.address), register.name
        pending = model.read(status.address) != 0
        assert known(dut.int_status_any) == pending
        seen[pending] += 1
    assert min(seen.values()) >= 5


@cocotb.test()
async def test_coherent_time(dut):
    """Low word, then high word: together the time of one clock, while the counter runs and carries all the time."""
    master = await setup(dut)
    address = {r.name: r.address for r in the_map().registers}["TIMESTAMP"]
    history, carries = deque(maxlen=400), 0

    async def count():
        now = (7 << 32) - 40
        while True:
            dut.timestamp.value = now
            history.append(now)
            await RisingEdge(dut.clk)
            now += random.choice([1, 5, (1 << 32) - 3, 1 << 31])

    cocotb.start_soon(count())
    master.pauses(lambda: bursts(0, 60))
    for _ in range(150):
        low = await read(master, address)
        for _ in range(random.randrange(3)):  # what is read between does not disturb it
            await read(master, random.choice([0x20, 0x50, 0x140]))
        if random.random() < 0.3:
            await write(master, address, random.getrandbits(32))
        high = await read(master, address + 4)
        assert high << 32 | low in history, "no clock had this time"
        carries += history[-1] >> 32 != high
        assert await read(master, address + 4) == high, "the high word is held until the low one is read again"
    assert carries > 100


@cocotb.test()
async def test_windows(dut):
    """Each word of a window is what its index asks for, three clocks later; words in any order."""
    master = await setup(dut)
    words = [(r, index) for r in windows() for index in range(r.window)]
    random.shuffle(words)
    for register, index in words * 2:
        expected = window_word(register.name.lower(), index)
        await write(master, register.address + 4 * index, random.getrandbits(32))
        assert await read(master, register.address + 4 * index) == expected, (register.name, index)


@cocotb.test()
async def test_a_snapshot_has_time(dut):
    """A read that waits behind a snapshot or APPLY samples at least 16 clocks after the pulse."""
    master = await setup(dut)
    at = {r.name: r.address for r in the_map().registers}
    distances = []

    async def measure():
        since = None
        while True:
            await RisingEdge(dut.clk)
            since = None if since is None else since + 1
            if known(dut.ras_snap_written) or known(dut.jitter_snap) or known(dut.apply_ras):
                since = 0
            if known(dut.sample) and since is not None:
                distances.append(since)
                since = None

    cocotb.start_soon(measure())
    for _ in range(40):
        master.pauses(random.choice([None, lambda: bursts(0, 60)]))
        command = cocotb.start_soon(master.write(at[random.choice(["RAS_SNAP", "JITTER_SNAP", "APPLY"])], 5))
        looks = [cocotb.start_soon(master.read(at["RAS"] + 4 * i)) for i in range(3)]
        assert await command == OKAY
        for look in looks:
            await look
        await read(master, at["RAS"])
    assert len(distances) >= 40
    assert min(distances) >= 16
    assert min(distances) <= 18, "the port rests longer than it must"


@cocotb.test()
async def test_unmapped(dut):
    """All that is not in the map answers SLVERR, reads 0 and changes nothing."""
    master, model = await setup(dut), Model()
    holes = [address for address in range(0, 4096, 4) if address not in model.at]
    assert len(holes) > 900
    for address in holes if len(holes) < 300 else random.sample(holes, 250) + [a for a in holes if a < 0x300]:
        assert await master.write(address + random.randrange(4), random.getrandbits(32)) == SLVERR, hex(address)
        assert await master.read(address) == (0, SLVERR), hex(address)
    for address, (register, _) in model.at.items():
        if not register.window:
            assert await read(master, address) == model.read(address), register.name


@cocotb.test()
async def test_refused_configuration(dut):
    """A block that refuses at apply: CFG_ERR and interrupt tell, the words stay readable, the next good ones pass."""
    master = await setup(dut)
    at = {r.name: r.address for r in the_map().registers}
    in_force = []

    async def block():  # takes all words at apply, as nps_bp_probe does
        while True:
            await RisingEdge(dut.clk)
            dut.cfg_err_bp_set.value = dut.int_raw_cfg_set.value = 0
            if known(dut.apply_bp):
                new = known(dut.bp_limits_th_on), known(dut.bp_limits_th_off), known(dut.bp_stale), known(dut.bp_port)
                if new[1] < new[0]:
                    in_force.append(new)
                else:
                    dut.cfg_err_bp_set.value = dut.int_raw_cfg_set.value = 1

    cocotb.start_soon(block())
    await write(master, at["INT_MASK"], 0xFFF)
    for on, off, legal in ((40, 30, True), (30, 30, False), (20, 63, False), (31, 30, True)):
        before = list(in_force)
        await write(master, at["BP_PORT"], 3)
        await write(master, at["BP_LIMITS"], on | off << 6)
        await write(master, at["BP_STALE"], 1000 + on)
        assert in_force == before, "words took effect before apply"
        await write(master, at["APPLY"], 1)
        assert in_force == ([*before, (on, off, 1000 + on, 3)] if legal else before)
        assert await read(master, at["CFG_ERR"]) == (0 if legal else 1)
        assert known(dut.int_status_any) == (not legal)
        assert await read(master, at["BP_LIMITS"]) == on | off << 6
        await write(master, at["CFG_ERR"], 0xF)
        await write(master, at["INT_RAW"], 0xFFF)
        assert await read(master, at["CFG_ERR"]) == 0
        assert known(dut.int_status_any) == 0


@cocotb.test()
async def test_random(dut):
    """Random reads and writes of the whole map with any strobes and pauses of all channels, against the model."""
    master, model = await setup(dut), Model()
    addresses = [address for address, (r, _) in model.at.items() if not r.window]
    readable = 0
    for _ in range(60):
        master.pauses(random.choice([None, lambda: bursts(0, 30, 80), lambda: bursts(60)]))
        chosen = random.sample(addresses, 20)
        related = {a for a in chosen[:10] if model.at[a][0].name in ("INT_RAW", "INT_MASK")}
        looks = [a for a in chosen[10:] if not (related and model.at[a][0].name == "INT_STATUS")]
        plan = [(a, random.getrandbits(32), random.choice([15, random.randrange(16)])) for a in chosen[:10]]
        writes = [cocotb.start_soon(master.write(*item)) for item in plan]
        reads = [(a, model.read(a), cocotb.start_soon(master.read(a))) for a in looks]
        for item, task in zip(plan, writes, strict=True):
            assert await task == OKAY
            model.write(*item)
        for address, expected, task in reads:
            assert await task == (expected, OKAY), model.at[address][0].name
            readable += expected != 0
        for address, _, _ in plan:
            assert await read(master, address) == model.read(address), model.at[address][0].name
    assert readable > 100


@cocotb.test()
async def test_reset(dut):
    """A reset brings every register back."""
    master, model = await setup(dut), Model()
    for register in the_map().registers:
        if not register.window:
            await write(master, register.address, random.getrandbits(32))
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    for address, (register, _) in model.at.items():
        if not register.window:
            assert await read(master, address) == model.read(address), register.name
