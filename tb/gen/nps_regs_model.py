"""Generated from rtl/spec/nps.rdl by `make gen`: do not edit."""

# SPDX-License-Identifier: Apache-2.0
# ruff: noqa

from pyuvm import uvm_coverage_model_e, uvm_endianness_e, uvm_reg, uvm_reg_block, uvm_reg_field


class Register(uvm_reg):
    """A register of 32 bits; fields: (name, lsb, width, policy, volatile, reset)."""

    FIELDS: tuple = ()

    def __init__(self, name):
        super().__init__(name, 32, uvm_coverage_model_e.UVM_NO_COVERAGE)
        for field in self.FIELDS:
            setattr(self, field[0], uvm_reg_field(field[0]))

    def build(self):
        for name, lsb, width, policy, volatile, reset in self.FIELDS:
            getattr(self, name).configure(self, width, lsb, policy, volatile, reset, True, True, False)


class ID(Register):
    """Which block this is."""

    FIELDS = (
        ("magic", 0, 32, "RO", False, 1313887025),
    )


class VERSION(Register):
    """Version of this map: a reader refuses another major."""

    FIELDS = (
        ("minor", 0, 16, "RO", False, 0),
        ("major", 16, 16, "RO", False, 1),
    )


class STREAM(Register):
    """Version of the trace stream, as CFG VERSION."""

    FIELDS = (
        ("version", 0, 32, "RO", False, 65536),
    )


class CAPS(Register):
    """What was built in."""

    FIELDS = (
        ("num_bp", 0, 6, "RO", False, 2),
        ("jitter", 8, 1, "RO", False, 1),
        ("ras", 9, 1, "RO", False, 1),
        ("token", 10, 1, "RO", False, 1),
    )


class DESC_HASH_LO(Register):
    """Hash of the description that the stream belongs to, 0 = none."""

    FIELDS = (
        ("hash", 0, 32, "RO", False, 0),
    )


class DESC_HASH_HI(Register):
    """Hash of the description that the stream belongs to."""

    FIELDS = (
        ("hash", 0, 32, "RO", False, 0),
    )


class CLK_PERIOD(Register):
    """Clock period."""

    FIELDS = (
        ("period", 0, 32, "RO", False, 5000),
    )


class CONTROL(Register):
    """Start and end of the stream."""

    FIELDS = (
        ("enable", 0, 1, "RW", False, 0),
        ("jitter", 1, 1, "RW", False, 0),
        ("ras", 2, 1, "RW", False, 0),
    )


class STATUS(Register):
    """What is going on."""

    FIELDS = (
        ("sampling", 0, 1, "RO", True, 0),
        ("active", 1, 1, "RO", True, 0),
        ("locked", 2, 1, "RO", True, 0),
        ("holdover", 3, 1, "RO", True, 0),
        ("sync_lost", 4, 1, "RO", True, 0),
        ("mark_waiting", 5, 1, "RO", True, 0),
    )


class MARK_SUB(Register):
    """Sub of the next MARK."""

    FIELDS = (
        ("sub", 0, 2, "RW", False, 0),
    )


class MARK(Register):
    """A write puts a MARK of this value into the stream. One that still waits (STATUS.mark_waiting) is replaced."""

    FIELDS = (
        ("value", 0, 32, "WO", False, 0),
    )


class INT_RAW(Register):
    """Events since they were cleared, masked or not."""

    FIELDS = (
        ("loss", 0, 1, "W1C", True, 0),
        ("cfg", 1, 1, "W1C", True, 0),
        ("sync_lost", 2, 1, "W1C", True, 0),
        ("ras_r", 3, 1, "W1C", True, 0),
        ("ras_a", 4, 1, "W1C", True, 0),
        ("ras_s", 5, 1, "W1C", True, 0),
        ("ras_exhausted", 6, 1, "W1C", True, 0),
        ("reneg_timeout", 7, 1, "W1C", True, 0),
        ("switch_timeout", 8, 1, "W1C", True, 0),
        ("token", 9, 1, "W1C", True, 0),
        ("token_nested", 10, 1, "W1C", True, 0),
    )


class INT_MASK(Register):
    """Which events raise the interrupt."""

    FIELDS = (
        ("loss", 0, 1, "RW", False, 0),
        ("cfg", 1, 1, "RW", False, 0),
        ("sync_lost", 2, 1, "RW", False, 0),
        ("ras_r", 3, 1, "RW", False, 0),
        ("ras_a", 4, 1, "RW", False, 0),
        ("ras_s", 5, 1, "RW", False, 0),
        ("ras_exhausted", 6, 1, "RW", False, 0),
        ("reneg_timeout", 7, 1, "RW", False, 0),
        ("switch_timeout", 8, 1, "RW", False, 0),
        ("token", 9, 1, "RW", False, 0),
        ("token_nested", 10, 1, "RW", False, 0),
    )


class INT_STATUS(Register):
    """INT_RAW and INT_MASK; the interrupt is high while any is set."""

    FIELDS = (
        ("loss", 0, 1, "RO", True, 0),
        ("cfg", 1, 1, "RO", True, 0),
        ("sync_lost", 2, 1, "RO", True, 0),
        ("ras_r", 3, 1, "RO", True, 0),
        ("ras_a", 4, 1, "RO", True, 0),
        ("ras_s", 5, 1, "RO", True, 0),
        ("ras_exhausted", 6, 1, "RO", True, 0),
        ("reneg_timeout", 7, 1, "RO", True, 0),
        ("switch_timeout", 8, 1, "RO", True, 0),
        ("token", 9, 1, "RO", True, 0),
        ("token_nested", 10, 1, "RO", True, 0),
    )


class CFG_ERR(Register):
    """Blocks that refused a configuration; the one before stays in force."""

    FIELDS = (
        ("bp", 0, 1, "W1C", True, 0),
        ("jitter", 1, 1, "W1C", True, 0),
        ("ras", 2, 1, "W1C", True, 0),
        ("token", 3, 1, "W1C", True, 0),
    )


class APPLY(Register):
    """Hand the words written to a block, which takes or refuses them as a whole. One that is not built in refuses."""

    FIELDS = (
        ("bp", 0, 1, "WO", True, 0),
        ("jitter", 1, 1, "WO", True, 0),
        ("ras", 2, 1, "WO", True, 0),
        ("token", 3, 1, "WO", True, 0),
    )


class JITTER_SNAP(Register):
    """Hold the words of the JITTER window as they are now, until the next time."""

    FIELDS = (
        ("take", 0, 1, "WO", True, 0),
    )


class TIMESTAMP_LO(Register):
    """Time now. Read the low word first: it holds the high word."""

    FIELDS = (
        ("ts", 0, 32, "RO", True, 0),
    )


class TIMESTAMP_HI(Register):
    """Time now. Read the low word first: it holds the high word."""

    FIELDS = (
        ("ts", 0, 32, "RO", True, 0),
    )


class BP_PORT(Register):
    """Trace port for APPLY.bp. APPLY to one that does not exist is refused."""

    FIELDS = (
        ("port", 0, 6, "RW", False, 0),
    )


class BP_LIMITS(Register):
    """Limits, as CFG BP_LIMITS. Refused unless th_off < th_on and none of th_on, th_off, th_wet is 0."""

    FIELDS = (
        ("th_on", 0, 6, "RW", False, 56),
        ("th_off", 6, 6, "RW", False, 48),
        ("level_step", 12, 6, "RW", False, 0),
        ("k", 18, 5, "RW", False, 8),
        ("raw", 23, 1, "RW", False, 0),
        ("th_wet", 24, 6, "RW", False, 4),
    )


class BP_STALE(Register):
    """Stale period, as CFG STALE."""

    FIELDS = (
        ("stale", 0, 32, "RW", False, 100000),
    )


class T_NOMINAL_LO(Register):
    """Nominal sync interval, as CFG T_NOMINAL_LO. An interval of 0 is refused."""

    FIELDS = (
        ("lo", 0, 32, "RW", False, 32000000),
    )


class T_NOMINAL_HI(Register):
    """Nominal sync interval and options, as CFG T_NOMINAL_HI."""

    FIELDS = (
        ("hi", 0, 16, "RW", False, 0),
        ("need_lock", 16, 1, "RW", False, 1),
        ("exclude", 17, 1, "RW", False, 0),
        ("strobe", 18, 1, "RW", False, 0),
        ("sync_lost_a", 19, 1, "RW", False, 0),
    )


class WATCHDOG(Register):
    """Watchdog of the sync pulses."""

    FIELDS = (
        ("clocks", 0, 32, "RW", False, 75000),
    )


class LOSS_COUNT(Register):
    """Events dropped by all sources since reset, modulo 2^32; LOSS records in the stream tell them by source and time."""

    FIELDS = (
        ("events", 0, 32, "RO", True, 0),
    )


class LOSS_SOURCES(Register):
    """Sources that dropped any since reset: bit n is the n-th source of the stream, bit 31 the 32nd and later."""

    FIELDS = (
        ("sources", 0, 32, "RO", True, 0),
    )


class R_LIMIT(Register):
    """Reliability limit. Refused unless R <= A <= S and all counts and times are legal."""

    FIELDS = (
        ("limit", 0, 30, "RW", False, 3200000),
    )


class A_LIMIT(Register):
    """Availability limit."""

    FIELDS = (
        ("limit", 0, 30, "RW", False, 10240000),
    )


class S_LIMIT(Register):
    """Serviceability limit."""

    FIELDS = (
        ("limit", 0, 30, "RW", False, 25600000),
    )


class RAS_COUNTS(Register):
    """Counts, as CFG RAS_COUNTS."""

    FIELDS = (
        ("r_run", 0, 8, "RW", False, 5),
        ("r_rearm", 8, 8, "RW", False, 5),
        ("s_count", 16, 8, "RO", False, 3),
        ("a_budget", 24, 8, "RW", False, 4),
    )


class S_WINDOW(Register):
    """Sliding window of S."""

    FIELDS = (
        ("window", 0, 31, "RW", False, 1000000000),
    )


class A_HOLDOFF(Register):
    """No PHY switch within this time of the last."""

    FIELDS = (
        ("holdoff", 0, 18, "RW", False, 1000),
    )


class RAS_PENDING(Register):
    """Latched classes. Writing 1 to a class clears it with its count, stamps and overflow."""

    FIELDS = (
        ("reliability", 0, 1, "W1C", True, 0),
        ("availability", 1, 1, "W1C", True, 0),
        ("serviceability", 2, 1, "W1C", True, 0),
        ("sync_lost", 3, 1, "W1C", True, 0),
        ("exhausted", 4, 1, "W1C", True, 0),
        ("overflow", 8, 5, "RO", True, 0),
    )


class RAS_SNAP(Register):
    """Copies the latch of a class into the RAS window."""

    FIELDS = (
        ("index", 0, 3, "WO", False, 0),
    )


class RAS_INJECT(Register):
    """Test injection: the class fires, marked injected."""

    FIELDS = (
        ("reliability", 0, 1, "WO", True, 0),
        ("availability", 1, 1, "WO", True, 0),
        ("serviceability", 2, 1, "WO", True, 0),
        ("sync_lost", 3, 1, "WO", True, 0),
        ("exhausted", 4, 1, "WO", True, 0),
    )


class TOK_PTR(Register):
    """Arm by software: watch tokens from this pointer on."""

    FIELDS = (
        ("ptr", 0, 32, "RW", False, 0),
    )


class TOK_CONTROL(Register):
    """What to watch for and what to do."""

    FIELDS = (
        ("mask", 0, 4, "RW", False, 0),
        ("trim", 8, 1, "RW", False, 0),
    )


class TOK_CMD(Register):
    """Commands of the token interrupt."""

    FIELDS = (
        ("arm", 0, 1, "WO", True, 0),
        ("resume", 1, 1, "WO", True, 0),
    )


class MEM_LOW(Register):
    """MEM_LOW. Refused unless off > on."""

    FIELDS = (
        ("on", 0, 16, "RW", False, 64),
        ("off", 16, 16, "RW", False, 96),
    )


class TOK_STATUS(Register):
    """What the token interrupt holds."""

    FIELDS = (
        ("cause", 0, 4, "RO", True, 0),
        ("held", 4, 4, "RO", True, 0),
        ("nested", 8, 8, "RO", True, 0),
        ("armed", 16, 1, "RO", True, 0),
        ("frozen", 17, 1, "RO", True, 0),
        ("trimming", 18, 1, "RO", True, 0),
    )


class INJ_TOKEN(Register):
    """Which tokens get a cause injected, for verification; stable while INJ_CONTROL.enable is 1."""

    FIELDS = (
        ("first", 0, 16, "RW", False, 0),
        ("every", 16, 16, "RW", False, 0),
    )


class INJ_CONTROL(Register):
    """Token injection."""

    FIELDS = (
        ("layer", 0, 8, "RW", False, 0),
        ("cause", 8, 4, "RW", False, 0),
        ("enable", 16, 1, "RW", False, 0),
    )


class JITTER(Register):
    """Jitter statistics as JITTER_SNAP holds them: 0 count, 1 min, 2 max since the snapshot before, 3..4 sum, 5..7 sum of squares, 8..9 running TIE, 10 bit 0: min and max hold a sample, bit 1: busy, the words do not stand yet, bit 2: samples are missing. All but min and max are cumulative, modular."""

    FIELDS = (
        ("word", 0, 32, "RO", True, 0),
    )


class RAS(Register):
    """The class RAS_SNAP copied: 0 flags (0 pending, 1 overflow, 12:8 count), 1 worst jitter, 2..3 first ts, 4..5 last ts."""

    FIELDS = (
        ("word", 0, 32, "RO", True, 0),
    )


class TOKEN(Register):
    """Snapshot of the token interrupt: 0..15 context words, 16 token id."""

    FIELDS = (
        ("word", 0, 32, "RO", True, 0),
    )


class nps(uvm_reg_block):
    """All registers; windows are lists, 64-bit registers are two, _LO and _HI."""

    REGISTERS = (
        ("ID", ID, 0x000, 0),
        ("VERSION", VERSION, 0x004, 0),
        ("STREAM", STREAM, 0x008, 0),
        ("CAPS", CAPS, 0x00C, 0),
        ("DESC_HASH_LO", DESC_HASH_LO, 0x010, 0),
        ("DESC_HASH_HI", DESC_HASH_HI, 0x014, 0),
        ("CLK_PERIOD", CLK_PERIOD, 0x018, 0),
        ("CONTROL", CONTROL, 0x020, 0),
        ("STATUS", STATUS, 0x024, 0),
        ("MARK_SUB", MARK_SUB, 0x028, 0),
        ("MARK", MARK, 0x02C, 0),
        ("INT_RAW", INT_RAW, 0x030, 0),
        ("INT_MASK", INT_MASK, 0x034, 0),
        ("INT_STATUS", INT_STATUS, 0x038, 0),
        ("CFG_ERR", CFG_ERR, 0x03C, 0),
        ("APPLY", APPLY, 0x040, 0),
        ("JITTER_SNAP", JITTER_SNAP, 0x044, 0),
        ("TIMESTAMP_LO", TIMESTAMP_LO, 0x048, 0),
        ("TIMESTAMP_HI", TIMESTAMP_HI, 0x04C, 0),
        ("BP_PORT", BP_PORT, 0x050, 0),
        ("BP_LIMITS", BP_LIMITS, 0x054, 0),
        ("BP_STALE", BP_STALE, 0x058, 0),
        ("T_NOMINAL_LO", T_NOMINAL_LO, 0x060, 0),
        ("T_NOMINAL_HI", T_NOMINAL_HI, 0x064, 0),
        ("WATCHDOG", WATCHDOG, 0x068, 0),
        ("LOSS_COUNT", LOSS_COUNT, 0x070, 0),
        ("LOSS_SOURCES", LOSS_SOURCES, 0x074, 0),
        ("R_LIMIT", R_LIMIT, 0x080, 0),
        ("A_LIMIT", A_LIMIT, 0x084, 0),
        ("S_LIMIT", S_LIMIT, 0x088, 0),
        ("RAS_COUNTS", RAS_COUNTS, 0x08C, 0),
        ("S_WINDOW", S_WINDOW, 0x090, 0),
        ("A_HOLDOFF", A_HOLDOFF, 0x094, 0),
        ("RAS_PENDING", RAS_PENDING, 0x098, 0),
        ("RAS_SNAP", RAS_SNAP, 0x09C, 0),
        ("RAS_INJECT", RAS_INJECT, 0x0A0, 0),
        ("TOK_PTR", TOK_PTR, 0x0A8, 0),
        ("TOK_CONTROL", TOK_CONTROL, 0x0AC, 0),
        ("TOK_CMD", TOK_CMD, 0x0B0, 0),
        ("MEM_LOW", MEM_LOW, 0x0B4, 0),
        ("TOK_STATUS", TOK_STATUS, 0x0B8, 0),
        ("INJ_TOKEN", INJ_TOKEN, 0x0C0, 0),
        ("INJ_CONTROL", INJ_CONTROL, 0x0C4, 0),
        ("JITTER", JITTER, 0x140, 16),
        ("RAS", RAS, 0x180, 8),
        ("TOKEN", TOKEN, 0x200, 32),
    )  # name, class, address, number of words (0: a single register)

    def build(self):
        bus = self.create_map("bus", 0, 4, uvm_endianness_e.UVM_LITTLE_ENDIAN)
        self.set_default_map(bus)
        for name, kind, address, words in self.REGISTERS:
            made = [kind(f"{name}[{index}]" if words else name) for index in range(words or 1)]
            setattr(self, name, made if words else made[0])
            for index, register in enumerate(made):
                register.configure(self, None, "")
                register.build()
                bus.add_reg(register, address + 4 * index, "RW")
        self.lock_model()
