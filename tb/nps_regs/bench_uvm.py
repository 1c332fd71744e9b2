# SPDX-License-Identifier: Apache-2.0
"""pyuvm tests of nps_regs with the generated register model: its reset values, its access policies, its mirror."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import (
    ConfigDB,
    uvm_access_e,
    uvm_agent,
    uvm_driver,
    uvm_env,
    uvm_predict_e,
    uvm_reg_adapter,
    uvm_root,
    uvm_sequence,
    uvm_sequence_item,
    uvm_sequencer,
    uvm_status_e,
    uvm_test,
)

from tb.gen.nps_regs_model import nps
from tb.nps_regs.bench import setup
from tb.nps_regs.map import PARAMETERS, the_map
from tb.vip.axil import OKAY


class Access(uvm_sequence_item):
    """One read or write of the bus."""

    def __init__(self, name, write, address, data):
        super().__init__(name)
        self.write, self.address, self.data, self.response = write, address, data, None


class Adapter(uvm_reg_adapter):
    """Register accesses as bus accesses and back."""

    def reg2bus(self, rw):
        return Access("access", rw.kind == uvm_access_e.UVM_WRITE, rw.addr, rw.data)

    def bus2reg(self, bus_item, rw):
        rw.kind = uvm_access_e.UVM_WRITE if bus_item.write else uvm_access_e.UVM_READ
        rw.addr, rw.data = bus_item.address, bus_item.data
        rw.status = uvm_status_e.UVM_IS_OK if bus_item.response == OKAY else uvm_status_e.UVM_NOT_OK


class Driver(uvm_driver):
    """Plays accesses on the AXI4-Lite master."""

    async def run_phase(self):
        master = ConfigDB().get(None, "", "MASTER")
        while True:
            item = await self.seq_item_port.get_next_item()
            if item.write:
                item.response = await master.write(item.address, item.data)
            else:
                item.data, item.response = await master.read(item.address)
            self.seq_item_port.item_done()


class Agent(uvm_agent):
    def build_phase(self):
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = Driver("driver", self)

    def connect_phase(self):
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


class Env(uvm_env):
    """The agent and the register model, whose map goes through the agent's sequencer."""

    def build_phase(self):
        self.agent = Agent("agent", self)
        self.model = nps("nps")
        self.model.build()

    def connect_phase(self):
        bus = self.model.get_default_map()
        bus.set_sequencer(self.agent.sequencer, Adapter("adapter"))
        bus.set_auto_predict(True)


class Checked(uvm_sequence):
    """Register accesses with their status checked; ``compared`` counts the values compared."""

    def __init__(self, name, model):
        super().__init__(name)
        self.model, self.compared = model, 0
        self.rng = random.Random(f"{os.environ['NPUSCOPE_SEED']}/{name}")

    def registers(self):
        return [r for r in self.model.get_default_map().get_registers() if "[" not in r.get_name()]

    async def write(self, register, value):
        status = await register.write(value, map=self.model.get_default_map(), parent=self)
        assert status == uvm_status_e.UVM_IS_OK, register.get_name()

    async def check(self, register):
        """Read; every field must be as the model says, and what is write only must be 0."""
        mirror = {field: field.get_mirrored_value() for field in register.get_fields()}
        status, value = await register.read(map=self.model.get_default_map(), parent=self)
        assert status == uvm_status_e.UVM_IS_OK, register.get_name()
        for field, kept in mirror.items():
            expected = 0 if field.get_access() == "WO" else kept
            got = value >> field.get_lsb_pos() & (1 << field.get_n_bits()) - 1
            assert got == expected, f"{register.get_name()}.{field.get_name()}: {got:#x}, the model says {expected:#x}"
            self.compared += 1


class ResetValues(Checked):
    """Every register reads its reset value, parameters as built."""

    async def body(self):
        self.model.reset()
        built = {
            (r.name, f.name): PARAMETERS[f.parameter] for r in the_map().registers for f in r.fields if f.parameter
        }
        for register in self.registers():
            for field in register.get_fields():
                value = built.get((register.get_name(), field.get_name()))
                if value is not None:
                    field.predict(value, kind=uvm_predict_e.UVM_PREDICT_DIRECT)
            await self.check(register)


class AccessPolicies(Checked):
    """Every field written with ones, zeros and in turns; mirror and block follow the field's policy."""

    async def body(self):
        for register in self.registers():
            await register.read(map=self.model.get_default_map(), parent=self)  # parameters, as built
            for value in (0xFFFFFFFF, 0, 0xA5A5A5A5, 0x5A5A5A5A, self.rng.getrandbits(32)):
                await self.write(register, value)
                await self.check(register)


class RegsTest(uvm_test):
    """Runs the sequence in ConfigDB and demands comparisons."""

    def build_phase(self):
        self.env = Env("env", self)

    async def run_phase(self):
        self.raise_objection()
        kind, least = ConfigDB().get(None, "", "SEQUENCE")
        sequence = kind(kind.__name__, self.env.model)
        await sequence.start(self.env.agent.sequencer)
        for _ in range(20):
            await RisingEdge(cocotb.top.clk)
        self.compared, self.least = sequence.compared, least
        self.drop_objection()

    def check_phase(self):
        assert self.compared >= self.least, f"{self.compared} values compared"


async def play(dut, sequence, least):
    master = await setup(dut)
    ConfigDB().set(None, "*", "MASTER", master)
    ConfigDB().set(None, "*", "SEQUENCE", (sequence, least))
    await uvm_root().run_test(RegsTest, keep_singletons=True)


@cocotb.test()
async def test_reset_model(dut):
    """The register model's reset values."""
    await play(dut, ResetValues, 90)


@cocotb.test()
async def test_access_policies(dut):
    """The register model's access policies."""
    await play(dut, AccessPolicies, 450)
