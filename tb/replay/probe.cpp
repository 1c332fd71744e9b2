// SPDX-License-Identifier: Apache-2.0
// Drives nps_bp_probe from a file of samples at native speed and writes its events.
// usage: probe STIMULUS EVENTS ROUNDS    the file is driven ROUNDS times over; events of the first round are written
// A sample is 16 bits a clock: valid, layer 5, occupancy 6, backpressure; an event is ts 8, kind 1, sub 1, 0 2, payload 4.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "Vnps_bp_probe.h"
#include "verilated.h"

static constexpr uint64_t PERIOD_NS = 5, START_NS = 1000, EPOCH_NS = 1700000000000000000ULL;

struct Event {
    uint64_t ts;
    uint8_t kind, sub;
    uint16_t zero;
    uint32_t payload;
};

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    std::FILE* in = std::fopen(argv[1], "rb");
    std::FILE* out = std::fopen(argv[2], "wb");
    if (!in || !out) return 2;
    std::fseek(in, 0, SEEK_END);
    std::vector<uint16_t> samples(std::ftell(in) / 2);
    std::rewind(in);
    if (std::fread(samples.data(), 2, samples.size(), in) != samples.size()) return 2;
    VerilatedContext context;
    Vnps_bp_probe top{&context};
    uint64_t rel = START_NS, clocks = 0, events = 0;
    auto clock = [&] {
        top.rel_ns = rel & 0xFFFFFFFFFFFFULL;
        top.ts_ns = EPOCH_NS + rel;
        top.clk = 1;
        top.eval();
        top.clk = 0;
        top.eval();
    };
    top.tq = 2;
    top.rst = 1;
    for (int i = 0; i < 4; i++) clock();
    top.rst = 0;
    for (uint64_t round = 0, rounds = std::strtoull(argv[3], nullptr, 10); round < rounds; round++) {
        for (const uint16_t sample : samples) {
            rel += PERIOD_NS;
            clocks++;
            top.trace_valid = sample & 1;
            top.layer_id = sample >> 1 & 31;
            top.buf_occupancy = sample >> 6 & 63;
            top.backpressure_en = sample >> 12 & 1;
            clock();
            if (!top.ev_valid) continue;
            events++;
            if (round) continue;
            const Event event{top.ev_ts, top.ev_kind, top.ev_sub, 0, top.ev_payload};
            if (std::fwrite(&event, sizeof event, 1, out) != 1) return 2;
        }
    }
    top.final();
    std::printf("%llu clocks, %llu events\n", (unsigned long long)clocks, (unsigned long long)events);
    return std::fclose(out) ? 2 : 0;
}
