// Generated from rtl/spec/trace.toml by `make gen`: do not edit.
`ifndef NPS_TRACE_VH
`define NPS_TRACE_VH

`define NPS_MAGIC 64'hF9A74353504ED19E
`define NPS_VERSION 32'h00010000
`define NPS_FRAME_RECORDS 512
`define NPS_GROUP_RECORDS 9
`define NPS_FRAME_AGE_NS 1048576
`define NPS_HEARTBEAT_NS 134217728

// record: lsb and width of each field
`define NPS_REC_TS_LSB 0
`define NPS_REC_TS_W 64
`define NPS_REC_KIND_LSB 64
`define NPS_REC_KIND_W 4
`define NPS_REC_SUB_LSB 68
`define NPS_REC_SUB_W 4
`define NPS_REC_SRC_LSB 72
`define NPS_REC_SRC_W 6
`define NPS_REC_TQ_LSB 78
`define NPS_REC_TQ_W 2
`define NPS_REC_SEQ_LSB 80
`define NPS_REC_SEQ_W 8
`define NPS_REC_CRC8_LSB 88
`define NPS_REC_CRC8_W 8
`define NPS_REC_PAYLOAD_LSB 96
`define NPS_REC_PAYLOAD_W 32

// sources
`define NPS_SRC_MONITOR 6'd58
`define NPS_SRC_TOKEN 6'd59
`define NPS_SRC_RAS 6'd60
`define NPS_SRC_JITTER 6'd61
`define NPS_SRC_MARK 6'd62
`define NPS_SRC_FRAMER 6'd63

// time quality
`define NPS_TQ_FREE_RUN 2'd0
`define NPS_TQ_HOLDOVER 2'd1
`define NPS_TQ_LOCKED 2'd2
`define NPS_TQ_DOUBT 2'd3

// why events were dropped
`define NPS_LOSS_CAUSE_FIFO_FULL 3'd0
`define NPS_LOSS_CAUSE_COLLECTOR 3'd1
`define NPS_LOSS_CAUSE_CROSSING 3'd2
`define NPS_LOSS_CAUSE_DISABLED 3'd3

// cumulative counters, in CNT.sub
`define NPS_CNT_ACCEPTED 4'd0
`define NPS_CNT_DROPPED 4'd1
`define NPS_CNT_STALLED 4'd2
`define NPS_CNT_TOKENS 4'd3
`define NPS_CNT_BP_SAMPLES 4'd4

// configuration words, in CFG.sub
`define NPS_CFG_VERSION 4'd0
`define NPS_CFG_CLK_PERIOD 4'd1
`define NPS_CFG_BP_LIMITS 4'd2
`define NPS_CFG_STALE 4'd3
`define NPS_CFG_DESC_HASH_LO 4'd4
`define NPS_CFG_DESC_HASH_HI 4'd5
`define NPS_CFG_T_NOMINAL_LO 4'd6
`define NPS_CFG_T_NOMINAL_HI 4'd7
`define NPS_CFG_R_LIMIT 4'd8
`define NPS_CFG_A_LIMIT 4'd9
`define NPS_CFG_S_LIMIT 4'd10
`define NPS_CFG_RAS_COUNTS 4'd11
`define NPS_CFG_S_WINDOW 4'd12
`define NPS_CFG_A_HOLDOFF 4'd13
`define NPS_CFG_LAYERS 4'd14
`define NPS_CFG_DRY_MASK 4'd15

// keyframe words, in STATE.sub
`define NPS_STATE_HOT 4'd0
`define NPS_STATE_BP_EN 4'd1
`define NPS_STATE_UNKNOWN 4'd2
`define NPS_STATE_DRY 4'd3
`define NPS_STATE_LEVEL_0 4'd4
`define NPS_STATE_LEVEL_5 4'd5
`define NPS_STATE_LEVEL_10 4'd6
`define NPS_STATE_LEVEL_15 4'd7
`define NPS_STATE_LEVEL_20 4'd8
`define NPS_STATE_LEVEL_25 4'd9
`define NPS_STATE_LEVEL_30 4'd10

// what a RAS record reports; from RENEG_DONE on: information that a recomputation needs
`define NPS_RAS_CLASS_R 5'd0
`define NPS_RAS_CLASS_A 5'd1
`define NPS_RAS_CLASS_S 5'd2
`define NPS_RAS_CLASS_SYNC_LOST 5'd3
`define NPS_RAS_CLASS_REDUNDANCY_EXHAUSTED 5'd4
`define NPS_RAS_CLASS_RENEG_DONE 5'd5
`define NPS_RAS_CLASS_PHY_CHANGED 5'd6
`define NPS_RAS_CLASS_ENABLED 5'd7
`define NPS_RAS_CLASS_DISABLED 5'd8
`define NPS_RAS_CLASS_ACK 5'd9
`define NPS_RAS_CLASS_REQ_TIMEOUT 5'd10
`define NPS_RAS_CLASS_FLUSHED 5'd11

// severity of a RAS record
`define NPS_SEVERITY_INFORMATIONAL 2'd0
`define NPS_SEVERITY_CORRECTED 2'd1
`define NPS_SEVERITY_RECOVERABLE 2'd2
`define NPS_SEVERITY_FATAL 2'd3

// kinds, subs and payload fields
`define NPS_K_PAD 4'd0
`define NPS_K_BP 4'd1
`define NPS_BP_ENTER 4'd0
`define NPS_BP_EXIT 4'd1
`define NPS_BP_LEVEL 4'd2
`define NPS_BP_BP_ON 4'd3
`define NPS_BP_BP_OFF 4'd4
`define NPS_BP_RAW 4'd5
`define NPS_BP_KNOWN 4'd6
`define NPS_BP_DRY 4'd7
`define NPS_BP_WET 4'd8
`define NPS_BP_LAYER_LSB 0
`define NPS_BP_LAYER_W 5
`define NPS_BP_OCC_LSB 5
`define NPS_BP_OCC_W 6
`define NPS_BP_BP_EN_LSB 11
`define NPS_BP_BP_EN_W 1
`define NPS_BP_PEAK_LSB 12
`define NPS_BP_PEAK_W 6
`define NPS_BP_DWELL_LSB 18
`define NPS_BP_DWELL_W 14
`define NPS_K_JITTER 4'd2
`define NPS_JITTER_OK 4'd0
`define NPS_JITTER_SYNC_LOST 4'd1
`define NPS_JITTER_STEPPED 4'd2
`define NPS_JITTER_UNLOCKED 4'd3
`define NPS_JITTER_BACKWARD 4'd4
`define NPS_JITTER_FIRST 4'd5
`define NPS_JITTER_MISSED 4'd6
`define NPS_JITTER_EARLY 4'd7
`define NPS_K_RAS 4'd3
`define NPS_RAS_SUB_SEVERITY_LSB 0
`define NPS_RAS_SUB_SEVERITY_W 2
`define NPS_RAS_SUB_FIRST_LSB 2
`define NPS_RAS_SUB_FIRST_W 1
`define NPS_RAS_SUB_OVERFLOW_LSB 3
`define NPS_RAS_SUB_OVERFLOW_W 1
`define NPS_RAS_UNIT_LSB 0
`define NPS_RAS_UNIT_W 5
`define NPS_RAS_CLASS_LSB 5
`define NPS_RAS_CLASS_W 5
`define NPS_RAS_INJECTED_LSB 10
`define NPS_RAS_INJECTED_W 1
`define NPS_RAS_COUNT_LSB 11
`define NPS_RAS_COUNT_W 5
`define NPS_RAS_SYNDROME_LSB 16
`define NPS_RAS_SYNDROME_W 16
`define NPS_K_TOKINT 4'd4
`define NPS_TOKINT_SUB_EOS_LSB 0
`define NPS_TOKINT_SUB_EOS_W 1
`define NPS_TOKINT_SUB_EOSP_LSB 1
`define NPS_TOKINT_SUB_EOSP_W 1
`define NPS_TOKINT_SUB_MEM_LOW_LSB 2
`define NPS_TOKINT_SUB_MEM_LOW_W 1
`define NPS_TOKINT_SUB_BOUNDARY_LSB 3
`define NPS_TOKINT_SUB_BOUNDARY_W 1
`define NPS_K_CTX 4'd5
`define NPS_CTX_HEAD 4'd0
`define NPS_CTX_POINTER 4'd1
`define NPS_CTX_MEMORY 4'd2
`define NPS_CTX_HEAD_WORDS_LSB 0
`define NPS_CTX_HEAD_WORDS_W 5
`define NPS_CTX_HEAD_LAYER_LSB 5
`define NPS_CTX_HEAD_LAYER_W 8
`define NPS_CTX_HEAD_SLOT_LSB 13
`define NPS_CTX_HEAD_SLOT_W 16
`define NPS_CTX_HEAD_INJECTED_LSB 29
`define NPS_CTX_HEAD_INJECTED_W 1
`define NPS_CTX_HEAD_FIRST_LSB 30
`define NPS_CTX_HEAD_FIRST_W 1
`define NPS_CTX_HEAD_NESTED_LSB 31
`define NPS_CTX_HEAD_NESTED_W 1
`define NPS_CTX_MEMORY_FREE_LSB 0
`define NPS_CTX_MEMORY_FREE_W 16
`define NPS_CTX_MEMORY_LIMIT_LSB 16
`define NPS_CTX_MEMORY_LIMIT_W 16
`define NPS_K_CNT 4'd6
`define NPS_K_MARK 4'd7
`define NPS_MARK_USER 4'd0
`define NPS_MARK_TRIGGER 4'd1
`define NPS_MARK_START 4'd2
`define NPS_MARK_FLUSH 4'd3
`define NPS_K_CLK 4'd8
`define NPS_CLK_STATE 4'd0
`define NPS_CLK_STEP_LO 4'd1
`define NPS_CLK_SEC_LO 4'd2
`define NPS_CLK_SEC_HI 4'd3
`define NPS_CLK_FREQ 4'd4
`define NPS_CLK_SERVO 4'd5
`define NPS_CLK_PPS 4'd6
`define NPS_CLK_STEP_HI 4'd7
`define NPS_CLK_REL_LO 4'd8
`define NPS_CLK_REL_HI 4'd9
`define NPS_CLK_STATE_TQ_LSB 0
`define NPS_CLK_STATE_TQ_W 2
`define NPS_CLK_STATE_LOCKED_LSB 2
`define NPS_CLK_STATE_LOCKED_W 1
`define NPS_CLK_STATE_HOLDOVER_LSB 3
`define NPS_CLK_STATE_HOLDOVER_W 1
`define NPS_K_LOSS 4'd9
`define NPS_LOSS_FIRST 4'd0
`define NPS_LOSS_SECOND 4'd8
`define NPS_LOSS_SUB_CAUSE_LSB 0
`define NPS_LOSS_SUB_CAUSE_W 3
`define NPS_LOSS_SUB_SECOND_LSB 3
`define NPS_LOSS_SUB_SECOND_W 1
`define NPS_K_STATE 4'd10
`define NPS_K_CFG 4'd11
`define NPS_CFG_VERSION_MINOR_LSB 0
`define NPS_CFG_VERSION_MINOR_W 16
`define NPS_CFG_VERSION_MAJOR_LSB 16
`define NPS_CFG_VERSION_MAJOR_W 16
`define NPS_CFG_BP_LIMITS_TH_ON_LSB 0
`define NPS_CFG_BP_LIMITS_TH_ON_W 6
`define NPS_CFG_BP_LIMITS_TH_OFF_LSB 6
`define NPS_CFG_BP_LIMITS_TH_OFF_W 6
`define NPS_CFG_BP_LIMITS_LEVEL_STEP_LSB 12
`define NPS_CFG_BP_LIMITS_LEVEL_STEP_W 6
`define NPS_CFG_BP_LIMITS_K_LSB 18
`define NPS_CFG_BP_LIMITS_K_W 5
`define NPS_CFG_BP_LIMITS_RAW_LSB 23
`define NPS_CFG_BP_LIMITS_RAW_W 1
`define NPS_CFG_BP_LIMITS_TH_WET_LSB 24
`define NPS_CFG_BP_LIMITS_TH_WET_W 6
`define NPS_CFG_T_NOMINAL_HI_T_NOMINAL_HI_LSB 0
`define NPS_CFG_T_NOMINAL_HI_T_NOMINAL_HI_W 16
`define NPS_CFG_T_NOMINAL_HI_NEED_LOCK_LSB 16
`define NPS_CFG_T_NOMINAL_HI_NEED_LOCK_W 1
`define NPS_CFG_T_NOMINAL_HI_EXCLUDE_LSB 17
`define NPS_CFG_T_NOMINAL_HI_EXCLUDE_W 1
`define NPS_CFG_T_NOMINAL_HI_STROBE_LSB 18
`define NPS_CFG_T_NOMINAL_HI_STROBE_W 1
`define NPS_CFG_T_NOMINAL_HI_SYNC_LOST_A_LSB 19
`define NPS_CFG_T_NOMINAL_HI_SYNC_LOST_A_W 1
`define NPS_CFG_RAS_COUNTS_R_RUN_LSB 0
`define NPS_CFG_RAS_COUNTS_R_RUN_W 8
`define NPS_CFG_RAS_COUNTS_R_REARM_LSB 8
`define NPS_CFG_RAS_COUNTS_R_REARM_W 8
`define NPS_CFG_RAS_COUNTS_S_COUNT_LSB 16
`define NPS_CFG_RAS_COUNTS_S_COUNT_W 8
`define NPS_CFG_RAS_COUNTS_A_BUDGET_LSB 24
`define NPS_CFG_RAS_COUNTS_A_BUDGET_W 8
`define NPS_K_TOKEN 4'd12
`define NPS_TOKEN_FIRST 4'd0
`define NPS_TOKEN_NEXT 4'd1
`define NPS_TOKEN_FROZEN 4'd2
`define NPS_TOKEN_RESUMED 4'd3
`define NPS_TOKEN_TRIMMED 4'd4
`define NPS_K_MON 4'd13
`define NPS_MON_INTERVAL 4'd0
`define NPS_MON_HITRATE 4'd1
`define NPS_MON_ENERGY 4'd2
`define NPS_MON_LINK 4'd3
`define NPS_MON_UTIL 4'd4
`define NPS_MON_SCHED 4'd5
`define NPS_MON_DVFS 4'd6
`define NPS_MON_PREFETCH 4'd7
`define NPS_MON_CLASS 4'd8
`define NPS_MON_INTERVAL_INTERVAL_LSB 0
`define NPS_MON_INTERVAL_INTERVAL_W 31
`define NPS_MON_INTERVAL_VIOLATION_LSB 31
`define NPS_MON_INTERVAL_VIOLATION_W 1
`define NPS_MON_HITRATE_HITS_LSB 0
`define NPS_MON_HITRATE_HITS_W 16
`define NPS_MON_HITRATE_ACCESSES_LSB 16
`define NPS_MON_HITRATE_ACCESSES_W 16
`define NPS_MON_LINK_STAGE_LSB 0
`define NPS_MON_LINK_STAGE_W 3
`define NPS_MON_LINK_OVER_LSB 3
`define NPS_MON_LINK_OVER_W 1
`define NPS_MON_LINK_DURATION_LSB 4
`define NPS_MON_LINK_DURATION_W 28
`define NPS_MON_UTIL_CHANNEL_LSB 0
`define NPS_MON_UTIL_CHANNEL_W 6
`define NPS_MON_UTIL_SATURATED_LSB 6
`define NPS_MON_UTIL_SATURATED_W 1
`define NPS_MON_UTIL_BUSY_LSB 7
`define NPS_MON_UTIL_BUSY_W 25
`define NPS_MON_CLASS_LINK_LSB 0
`define NPS_MON_CLASS_LINK_W 5
`define NPS_MON_CLASS_CLASS_LSB 5
`define NPS_MON_CLASS_CLASS_W 2
`define NPS_MON_CLASS_CLOCKS_LSB 7
`define NPS_MON_CLASS_CLOCKS_W 25
`define NPS_MON_SCHED_REGISTER_LSB 0
`define NPS_MON_SCHED_REGISTER_W 16
`define NPS_MON_SCHED_PERIOD_LSB 16
`define NPS_MON_SCHED_PERIOD_W 16
`define NPS_MON_DVFS_VOLTAGE_LSB 0
`define NPS_MON_DVFS_VOLTAGE_W 12
`define NPS_MON_DVFS_FREQUENCY_LSB 12
`define NPS_MON_DVFS_FREQUENCY_W 12
`define NPS_MON_DVFS_STATE_LSB 24
`define NPS_MON_DVFS_STATE_W 3
`define NPS_MON_PREFETCH_SEQ_POS_LSB 0
`define NPS_MON_PREFETCH_SEQ_POS_W 24
`define NPS_MON_PREFETCH_LAYER_LSB 24
`define NPS_MON_PREFETCH_LAYER_W 8
`define NPS_K_VENDOR 4'd14
`define NPS_K_SYNC 4'd15
`define NPS_SYNC_A 4'd0
`define NPS_SYNC_B 4'd1
`define NPS_SYNC_C 4'd2
`define NPS_SYNC_END 4'd8
`define NPS_SYNC_C_RECORDS_LSB 0
`define NPS_SYNC_C_RECORDS_W 16
`define NPS_SYNC_C_HASH_LSB 16
`define NPS_SYNC_C_HASH_W 16

// CRC-8 of a 128-bit record (bit 63 and the crc8 field itself do not count)
`define NPS_CRC8(d) ({ \
    ^((d) & 128'hE0A8566800C694BB6DE7E93AF8961EC8), \
    ^((d) & 128'h70542B340063CA5D36F3F49D7C4B0F64), \
    ^((d) & 128'h38AA159A0031E52E1B79FA4EBE2587B2), \
    ^((d) & 128'h1CD50ACD009872170DBCFD275F12C3D9), \
    ^((d) & 128'h8E6A8566004CB98B06DE7E93AF8961EC), \
    ^((d) & 128'h47B5423300A6DC45036F3F49D7C4B0F6), \
    ^((d) & 128'h43F2F77100957A996C50769E137446B3), \
    ^((d) & 128'hC151ADD0008C29775BCFD275F12C3D91)} ^ 8'h90)

// the same without its constant, NPS_CRC8(0), as levels of shared gates
`define NPS_CRC8_1_W 102
`define NPS_CRC8_1(d) ({ \
    d[68] ^ d[76] ^ d[99] ^ d[106], \
    d[46] ^ d[49] ^ d[53] ^ d[61], \
    d[11] ^ d[12] ^ d[17] ^ d[45], \
    d[86] ^ d[98] ^ d[104] ^ d[114], \
    d[35] ^ d[46] ^ d[55] ^ d[70], \
    d[17] ^ d[19] ^ d[27] ^ d[30], \
    d[74] ^ d[80] ^ d[85] ^ d[108], \
    d[57] ^ d[67] ^ d[69] ^ d[72], \
    d[4] ^ d[25] ^ d[34] ^ d[56], \
    d[58] ^ d[73] ^ d[83] ^ d[103], \
    d[37] ^ d[40] ^ d[47] ^ d[55], \
    d[3] ^ d[14] ^ d[17] ^ d[32], \
    d[29] ^ d[50] ^ d[71] ^ d[117], \
    d[2] ^ d[16] ^ d[23] ^ d[26], \
    d[97] ^ d[100] ^ d[101] ^ d[110], \
    d[41] ^ d[43] ^ d[48] ^ d[82], \
    d[13] ^ d[15] ^ d[22] ^ d[38], \
    d[82] ^ d[84] ^ d[87] ^ d[96], \
    d[33] ^ d[62] ^ d[75] ^ d[78], \
    d[1] ^ d[4] ^ d[10] ^ d[21], \
    d[0] ^ d[18] ^ d[24] ^ d[36], \
    d[6] ^ d[8] ^ d[64] ^ d[98], \
    d[51] ^ d[54] ^ d[79] ^ d[97], \
    d[52] ^ d[84] ^ d[99] ^ d[123], \
    d[42] ^ d[96] ^ d[114] ^ d[122], \
    d[7] ^ d[23] ^ d[40] ^ d[74], \
    d[9] ^ d[16] ^ d[45] ^ d[125], \
    d[21] ^ d[38] ^ d[59] ^ d[103], \
    d[5] ^ d[39] ^ d[42] ^ d[52], \
    d[9] ^ d[20] ^ d[59] ^ d[105], \
    d[31] ^ d[55] ^ d[82] ^ d[102], \
    d[27] ^ d[33] ^ d[43] ^ d[65], \
    d[26] ^ d[53] ^ d[66] ^ d[78], \
    d[36] ^ d[58] ^ d[67] ^ d[101], \
    d[18] ^ d[35] ^ d[117] ^ d[119], \
    d[10] ^ d[29] ^ d[47] ^ d[48], \
    d[34] ^ d[68] ^ d[116] ^ d[118], \
    d[32] ^ d[49] ^ d[57] ^ d[75], \
    d[30] ^ d[50] ^ d[56] ^ d[87], \
    d[24] ^ d[25] ^ d[45] ^ d[76], \
    d[7] ^ d[44] ^ d[46] ^ d[77], \
    d[28] ^ d[54] ^ d[64] ^ d[126], \
    d[127], \
    d[125], \
    d[124], \
    d[123], \
    d[122], \
    d[121], \
    d[120], \
    d[119], \
    d[118], \
    d[116], \
    d[115], \
    d[113], \
    d[112], \
    d[111], \
    d[110], \
    d[109], \
    d[108], \
    d[107], \
    d[106], \
    d[105], \
    d[104], \
    d[102], \
    d[100], \
    d[86], \
    d[85], \
    d[83], \
    d[81], \
    d[80], \
    d[79], \
    d[73], \
    d[72], \
    d[71], \
    d[70], \
    d[69], \
    d[66], \
    d[65], \
    d[62], \
    d[61], \
    d[60], \
    d[51], \
    d[44], \
    d[41], \
    d[37], \
    d[31], \
    d[28], \
    d[22], \
    d[19], \
    d[15], \
    d[14], \
    d[13], \
    d[12], \
    d[11], \
    d[8], \
    d[6], \
    d[5], \
    d[4], \
    d[3], \
    d[2], \
    d[1], \
    d[0]})

`define NPS_CRC8_2_W 60
`define NPS_CRC8_2(d) ({ \
    d[68] ^ d[72] ^ d[76] ^ d[99], \
    d[58] ^ d[59] ^ d[63] ^ d[66], \
    d[101], \
    d[100], \
    d[57] ^ d[75] ^ d[96] ^ d[97], \
    d[98], \
    d[79] ^ d[93] ^ d[94] ^ d[95], \
    d[48] ^ d[49] ^ d[74] ^ d[75], \
    d[77] ^ d[80] ^ d[90] ^ d[91], \
    d[42] ^ d[52] ^ d[61] ^ d[62], \
    d[92], \
    d[68] ^ d[71] ^ d[73] ^ d[79], \
    d[51] ^ d[55] ^ d[56] ^ d[64], \
    d[89], \
    d[88], \
    d[77] ^ d[85] ^ d[86] ^ d[87], \
    d[50] ^ d[54] ^ d[62] ^ d[76], \
    d[37] ^ d[46] ^ d[53] ^ d[60], \
    d[84], \
    d[83], \
    d[82], \
    d[24] ^ d[25] ^ d[44] ^ d[60], \
    d[81], \
    d[0] ^ d[38] ^ d[65] ^ d[72], \
    d[1] ^ d[5] ^ d[16] ^ d[67], \
    d[80], \
    d[78], \
    d[3] ^ d[36] ^ d[49] ^ d[70], \
    d[11] ^ d[48] ^ d[54] ^ d[62], \
    d[28] ^ d[43] ^ d[45] ^ d[67], \
    d[17] ^ d[23] ^ d[26] ^ d[71], \
    d[74], \
    d[12] ^ d[15] ^ d[57] ^ d[69], \
    d[14] ^ d[22] ^ d[30] ^ d[68], \
    d[6] ^ d[31] ^ d[33] ^ d[60], \
    d[4] ^ d[20] ^ d[47] ^ d[63], \
    d[73], \
    d[7] ^ d[21] ^ d[37] ^ d[66], \
    d[70], \
    d[69], \
    d[18] ^ d[39] ^ d[41] ^ d[61], \
    d[65], \
    d[64], \
    d[59], \
    d[53], \
    d[46], \
    d[44], \
    d[42], \
    d[40], \
    d[35], \
    d[34], \
    d[32], \
    d[29], \
    d[27], \
    d[19], \
    d[13], \
    d[10], \
    d[9], \
    d[8], \
    d[2]})

`define NPS_CRC8_3_W 31
`define NPS_CRC8_3(d) ({ \
    d[30] ^ d[32] ^ d[58] ^ d[59], \
    d[25] ^ d[29] ^ d[56] ^ d[57], \
    d[55], \
    d[54], \
    d[19] ^ d[22] ^ d[35] ^ d[52], \
    d[53], \
    d[24] ^ d[36] ^ d[49] ^ d[50], \
    d[51], \
    d[31] ^ d[34] ^ d[45] ^ d[46], \
    d[48], \
    d[47], \
    d[44], \
    d[43], \
    d[30] ^ d[31] ^ d[36] ^ d[42], \
    d[19] ^ d[39] ^ d[40] ^ d[41], \
    d[17] ^ d[28] ^ d[29] ^ d[37], \
    d[38], \
    d[21] ^ d[27] ^ d[33], \
    d[35], \
    d[0] ^ d[5] ^ d[11] ^ d[25], \
    d[32], \
    d[8] ^ d[13] ^ d[23] ^ d[26], \
    d[1] ^ d[12] ^ d[18] ^ d[22], \
    d[2] ^ d[6] ^ d[15] ^ d[24], \
    d[3] ^ d[4] ^ d[7] ^ d[19], \
    d[20], \
    d[17], \
    d[16], \
    d[14], \
    d[10], \
    d[9]})

`define NPS_CRC8_4_W 10
`define NPS_CRC8_4(d) ({ \
    d[29] ^ d[30], \
    d[8] ^ d[9] ^ d[27] ^ d[28], \
    d[13] ^ d[25] ^ d[26], \
    d[13] ^ d[23] ^ d[24], \
    d[10] ^ d[20] ^ d[21] ^ d[22], \
    d[7] ^ d[12] ^ d[18] ^ d[19], \
    d[9] ^ d[16] ^ d[17], \
    d[7] ^ d[8] ^ d[14] ^ d[15], \
    d[1] ^ d[4] ^ d[5] ^ d[11], \
    d[0] ^ d[2] ^ d[3] ^ d[6]})

`define NPS_CRC8_5_W 8
`define NPS_CRC8_5(d) ({ \
    d[9], \
    d[1] ^ d[8], \
    d[7], \
    d[6], \
    d[0] ^ d[5], \
    d[1] ^ d[4], \
    d[3], \
    d[0] ^ d[2]})

// CRC-32 of 128-bit words. The state is a linear transform of the CRC in which one step needs few terms:
// start: s = NPS_CRC32_INIT; each word: s = NPS_CRC32_NEXT(s) ^ WORD(d); value: VALUE(s). WORD and VALUE
// come as levels of shared gates, each of at most 4 terms: WORD(d) = NPS_CRC32_WORD_5(.. NPS_CRC32_WORD_1(d))
`define NPS_CRC32_INIT 32'h11A10849
`define NPS_CRC32_WORD_1_W 223
`define NPS_CRC32_WORD_1(d) ({ \
    d[66] ^ d[69] ^ d[74] ^ d[79], \
    d[2] ^ d[18] ^ d[27] ^ d[43], \
    d[71] ^ d[109] ^ d[115] ^ d[121], \
    d[13] ^ d[45] ^ d[46] ^ d[49], \
    d[66] ^ d[86] ^ d[87] ^ d[115], \
    d[6] ^ d[18] ^ d[34] ^ d[41], \
    d[7] ^ d[23] ^ d[60] ^ d[62], \
    d[58] ^ d[64] ^ d[69] ^ d[109], \
    d[43] ^ d[47] ^ d[54] ^ d[56], \
    d[4] ^ d[19] ^ d[28] ^ d[38], \
    d[63] ^ d[68] ^ d[92] ^ d[95], \
    d[28] ^ d[36] ^ d[44] ^ d[48], \
    d[34] ^ d[51] ^ d[58] ^ d[62], \
    d[1] ^ d[40] ^ d[69] ^ d[77], \
    d[2] ^ d[39] ^ d[56] ^ d[61], \
    d[49] ^ d[57] ^ d[75] ^ d[90], \
    d[27] ^ d[43] ^ d[55] ^ d[101], \
    d[39] ^ d[49] ^ d[76] ^ d[81], \
    d[12] ^ d[43] ^ d[72] ^ d[80], \
    d[15] ^ d[79] ^ d[83] ^ d[84], \
    d[55] ^ d[61] ^ d[65] ^ d[94], \
    d[6] ^ d[29] ^ d[46] ^ d[47], \
    d[16] ^ d[45] ^ d[80] ^ d[120], \
    d[74] ^ d[76] ^ d[82] ^ d[96], \
    d[4] ^ d[7] ^ d[48] ^ d[68], \
    d[73] ^ d[78] ^ d[99] ^ d[102], \
    d[33] ^ d[42] ^ d[46] ^ d[67], \
    d[25] ^ d[52] ^ d[56] ^ d[86], \
    d[6] ^ d[26] ^ d[32] ^ d[79], \
    d[30] ^ d[77] ^ d[87] ^ d[121], \
    d[18] ^ d[83] ^ d[107] ^ d[112], \
    d[14] ^ d[65] ^ d[76] ^ d[114], \
    d[9] ^ d[17] ^ d[19] ^ d[30], \
    d[3] ^ d[7] ^ d[36] ^ d[62], \
    d[24] ^ d[78] ^ d[81] ^ d[84], \
    d[3] ^ d[19] ^ d[73] ^ d[93], \
    d[0] ^ d[17] ^ d[38] ^ d[40], \
    d[7] ^ d[22] ^ d[56] ^ d[72], \
    d[1] ^ d[68] ^ d[87], \
    d[23] ^ d[92] ^ d[106], \
    d[52] ^ d[75] ^ d[122] ^ d[126], \
    d[9] ^ d[18] ^ d[22] ^ d[125], \
    d[37] ^ d[59] ^ d[108] ^ d[112], \
    d[36] ^ d[40] ^ d[110] ^ d[124], \
    d[1] ^ d[112] ^ d[117] ^ d[127], \
    d[3] ^ d[10] ^ d[12] ^ d[97], \
    d[5] ^ d[42] ^ d[67], \
    d[5] ^ d[59] ^ d[68] ^ d[101], \
    d[6] ^ d[60] ^ d[72] ^ d[114], \
    d[39] ^ d[46] ^ d[91] ^ d[114], \
    d[7] ^ d[79] ^ d[110] ^ d[121], \
    d[27] ^ d[61] ^ d[70] ^ d[120], \
    d[49] ^ d[79] ^ d[88] ^ d[98], \
    d[17] ^ d[29] ^ d[64], \
    d[76] ^ d[82] ^ d[116], \
    d[6] ^ d[39] ^ d[63] ^ d[119], \
    d[37] ^ d[44] ^ d[70] ^ d[71], \
    d[7] ^ d[34] ^ d[48] ^ d[92], \
    d[9] ^ d[16] ^ d[45] ^ d[87], \
    d[23] ^ d[53] ^ d[62] ^ d[111], \
    d[32] ^ d[65] ^ d[88] ^ d[116], \
    d[11] ^ d[27] ^ d[91] ^ d[96], \
    d[14] ^ d[65] ^ d[78] ^ d[95], \
    d[18] ^ d[84] ^ d[106] ^ d[115], \
    d[21] ^ d[33] ^ d[90] ^ d[110], \
    d[40] ^ d[42] ^ d[50] ^ d[55], \
    d[43] ^ d[69] ^ d[82] ^ d[110], \
    d[41] ^ d[80] ^ d[125] ^ d[126], \
    d[72] ^ d[76] ^ d[81] ^ d[97], \
    d[20] ^ d[83] ^ d[89], \
    d[12] ^ d[49] ^ d[74] ^ d[86], \
    d[26] ^ d[33] ^ d[91] ^ d[104], \
    d[31] ^ d[35] ^ d[44] ^ d[112], \
    d[52] ^ d[56] ^ d[71] ^ d[73], \
    d[1] ^ d[45] ^ d[93] ^ d[117], \
    d[5] ^ d[21] ^ d[25] ^ d[58], \
    d[3] ^ d[50] ^ d[57] ^ d[95], \
    d[15] ^ d[23] ^ d[99] ^ d[122], \
    d[16] ^ d[49] ^ d[100] ^ d[109], \
    d[17] ^ d[20] ^ d[54] ^ d[62], \
    d[37] ^ d[58] ^ d[77] ^ d[107], \
    d[52] ^ d[72] ^ d[97] ^ d[118], \
    d[4] ^ d[101] ^ d[114] ^ d[118], \
    d[8] ^ d[54] ^ d[68] ^ d[119], \
    d[11] ^ d[21] ^ d[57] ^ d[77], \
    d[36] ^ d[40] ^ d[70], \
    d[59] ^ d[81] ^ d[92] ^ d[108], \
    d[4] ^ d[15] ^ d[42] ^ d[85], \
    d[64] ^ d[71] ^ d[80] ^ d[88], \
    d[6] ^ d[45] ^ d[83] ^ d[96], \
    d[26] ^ d[74] ^ d[93] ^ d[113], \
    d[22] ^ d[84] ^ d[111] ^ d[120], \
    d[53] ^ d[89] ^ d[106] ^ d[121], \
    d[13] ^ d[38] ^ d[51] ^ d[116], \
    d[14] ^ d[29] ^ d[104] ^ d[123], \
    d[41] ^ d[66] ^ d[68] ^ d[78], \
    d[7] ^ d[44] ^ d[48] ^ d[67], \
    d[9] ^ d[63] ^ d[82] ^ d[110], \
    d[19] ^ d[65] ^ d[73] ^ d[99], \
    d[2] ^ d[90] ^ d[109] ^ d[115], \
    d[10] ^ d[24] ^ d[56] ^ d[69], \
    d[17] ^ d[20] ^ d[25] ^ d[79], \
    d[30] ^ d[94] ^ d[98] ^ d[125], \
    d[27] ^ d[34] ^ d[75] ^ d[100], \
    d[55] ^ d[61] ^ d[62] ^ d[122], \
    d[12] ^ d[35] ^ d[102] ^ d[105], \
    d[32] ^ d[46] ^ d[47] ^ d[127], \
    d[127], \
    d[126], \
    d[125], \
    d[124], \
    d[123], \
    d[122], \
    d[121], \
    d[120], \
    d[119], \
    d[118], \
    d[117], \
    d[116], \
    d[115], \
    d[114], \
    d[113], \
    d[112], \
    d[111], \
    d[109], \
    d[108], \
    d[107], \
    d[106], \
    d[105], \
    d[104], \
    d[103], \
    d[102], \
    d[101], \
    d[100], \
    d[99], \
    d[98], \
    d[97], \
    d[96], \
    d[95], \
    d[94], \
    d[93], \
    d[92], \
    d[91], \
    d[90], \
    d[89], \
    d[88], \
    d[87], \
    d[86], \
    d[85], \
    d[84], \
    d[83], \
    d[82], \
    d[81], \
    d[80], \
    d[79], \
    d[78], \
    d[76], \
    d[75], \
    d[74], \
    d[73], \
    d[72], \
    d[71], \
    d[70], \
    d[69], \
    d[67], \
    d[66], \
    d[64], \
    d[63], \
    d[61], \
    d[60], \
    d[59], \
    d[58], \
    d[57], \
    d[55], \
    d[54], \
    d[53], \
    d[52], \
    d[51], \
    d[50], \
    d[49], \
    d[48], \
    d[47], \
    d[46], \
    d[45], \
    d[44], \
    d[43], \
    d[42], \
    d[41], \
    d[39], \
    d[38], \
    d[37], \
    d[36], \
    d[35], \
    d[34], \
    d[33], \
    d[32], \
    d[31], \
    d[30], \
    d[29], \
    d[28], \
    d[27], \
    d[26], \
    d[25], \
    d[24], \
    d[23], \
    d[22], \
    d[19], \
    d[18], \
    d[16], \
    d[15], \
    d[14], \
    d[13], \
    d[12], \
    d[11], \
    d[10], \
    d[9], \
    d[8], \
    d[7], \
    d[6], \
    d[5], \
    d[3], \
    d[2], \
    d[1]})

`define NPS_CRC32_WORD_2_W 197
`define NPS_CRC32_WORD_2(d) ({ \
    d[124] ^ d[125] ^ d[126] ^ d[147], \
    d[80] ^ d[96] ^ d[101] ^ d[118], \
    d[222], \
    d[221], \
    d[151] ^ d[165] ^ d[180] ^ d[219], \
    d[220], \
    d[116] ^ d[122] ^ d[135] ^ d[182], \
    d[218], \
    d[217], \
    d[56] ^ d[57] ^ d[115] ^ d[136], \
    d[216], \
    d[141] ^ d[146] ^ d[168] ^ d[213], \
    d[114] ^ d[127] ^ d[128] ^ d[133], \
    d[215], \
    d[214], \
    d[212], \
    d[211], \
    d[55] ^ d[83] ^ d[84] ^ d[151], \
    d[210], \
    d[149] ^ d[158] ^ d[164] ^ d[175], \
    d[85] ^ d[86] ^ d[116] ^ d[145], \
    d[209], \
    d[132] ^ d[139] ^ d[144] ^ d[153], \
    d[66] ^ d[90] ^ d[120] ^ d[129], \
    d[208], \
    d[103] ^ d[131] ^ d[136] ^ d[143], \
    d[207], \
    d[158] ^ d[163] ^ d[184] ^ d[206], \
    d[105] ^ d[108] ^ d[137] ^ d[146], \
    d[142] ^ d[148] ^ d[157] ^ d[159], \
    d[79] ^ d[93] ^ d[107] ^ d[125], \
    d[205], \
    d[103] ^ d[106] ^ d[108] ^ d[127], \
    d[204], \
    d[85] ^ d[105] ^ d[118] ^ d[142], \
    d[203], \
    d[159] ^ d[163] ^ d[170] ^ d[201], \
    d[102] ^ d[111] ^ d[142] ^ d[154], \
    d[202], \
    d[114] ^ d[122] ^ d[163] ^ d[200], \
    d[80] ^ d[82] ^ d[121] ^ d[137], \
    d[148] ^ d[174] ^ d[182] ^ d[198], \
    d[90] ^ d[123] ^ d[128] ^ d[134], \
    d[199], \
    d[165] ^ d[178] ^ d[196] ^ d[197], \
    d[106] ^ d[122] ^ d[130] ^ d[138], \
    d[102] ^ d[115] ^ d[133] ^ d[160], \
    d[195], \
    d[74] ^ d[77] ^ d[130] ^ d[156], \
    d[194], \
    d[132] ^ d[134] ^ d[173] ^ d[183], \
    d[53] ^ d[55] ^ d[63] ^ d[128], \
    d[124] ^ d[176] ^ d[181] ^ d[193], \
    d[110] ^ d[120] ^ d[127] ^ d[141], \
    d[192], \
    d[191], \
    d[58] ^ d[116] ^ d[123] ^ d[145], \
    d[190], \
    d[84] ^ d[86] ^ d[93] ^ d[133], \
    d[189], \
    d[95] ^ d[103] ^ d[149] ^ d[162], \
    d[188], \
    d[6] ^ d[63] ^ d[70] ^ d[158], \
    d[106] ^ d[109] ^ d[174] ^ d[179], \
    d[187], \
    d[136] ^ d[153] ^ d[161] ^ d[186], \
    d[38] ^ d[91] ^ d[120] ^ d[128], \
    d[68] ^ d[125] ^ d[140] ^ d[185], \
    d[184], \
    d[5] ^ d[91] ^ d[119], \
    d[13] ^ d[20] ^ d[166], \
    d[14] ^ d[83] ^ d[150], \
    d[183], \
    d[9] ^ d[47] ^ d[119] ^ d[132], \
    d[25] ^ d[75] ^ d[111] ^ d[161], \
    d[27] ^ d[42] ^ d[176], \
    d[33] ^ d[72] ^ d[137], \
    d[44] ^ d[89] ^ d[168], \
    d[36] ^ d[108] ^ d[143], \
    d[61] ^ d[74] ^ d[155], \
    d[48] ^ d[156] ^ d[169], \
    d[2] ^ d[6] ^ d[112] ^ d[164], \
    d[181], \
    d[111] ^ d[151] ^ d[160], \
    d[180], \
    d[3] ^ d[29] ^ d[138] ^ d[144], \
    d[0] ^ d[46] ^ d[133] ^ d[162], \
    d[179], \
    d[178], \
    d[59] ^ d[109] ^ d[116] ^ d[121], \
    d[177], \
    d[175], \
    d[16] ^ d[96] ^ d[98] ^ d[139], \
    d[3] ^ d[56] ^ d[79] ^ d[131], \
    d[11] ^ d[81] ^ d[94] ^ d[124], \
    d[78] ^ d[79] ^ d[93] ^ d[154], \
    d[11] ^ d[118] ^ d[126] ^ d[131], \
    d[23] ^ d[123] ^ d[127] ^ d[147], \
    d[173], \
    d[48] ^ d[52] ^ d[83] ^ d[118], \
    d[19] ^ d[26] ^ d[141], \
    d[8] ^ d[28] ^ d[114] ^ d[124], \
    d[172], \
    d[7] ^ d[67] ^ d[105] ^ d[116], \
    d[171], \
    d[7] ^ d[69] ^ d[122] ^ d[144], \
    d[170], \
    d[169], \
    d[19] ^ d[50] ^ d[87] ^ d[149], \
    d[23] ^ d[113] ^ d[135], \
    d[31] ^ d[77] ^ d[130] ^ d[150], \
    d[29] ^ d[53] ^ d[94] ^ d[129], \
    d[35] ^ d[92] ^ d[138], \
    d[37] ^ d[49] ^ d[142] ^ d[143], \
    d[70] ^ d[78] ^ d[132], \
    d[167], \
    d[6] ^ d[57] ^ d[58] ^ d[134], \
    d[8] ^ d[41] ^ d[121] ^ d[131], \
    d[166], \
    d[165], \
    d[55] ^ d[71] ^ d[95] ^ d[153], \
    d[6] ^ d[101] ^ d[115] ^ d[125], \
    d[12] ^ d[20] ^ d[127] ^ d[146], \
    d[9] ^ d[63] ^ d[111] ^ d[120], \
    d[10] ^ d[30] ^ d[65] ^ d[139], \
    d[32] ^ d[86] ^ d[110] ^ d[135], \
    d[11] ^ d[51] ^ d[62] ^ d[119], \
    d[13] ^ d[21] ^ d[112] ^ d[120], \
    d[14] ^ d[37] ^ d[53] ^ d[145], \
    d[54] ^ d[88] ^ d[89] ^ d[136], \
    d[17] ^ d[57] ^ d[130] ^ d[140], \
    d[159], \
    d[16] ^ d[92] ^ d[119] ^ d[129], \
    d[157], \
    d[47] ^ d[84] ^ d[105] ^ d[137], \
    d[155], \
    d[44] ^ d[68] ^ d[124] ^ d[125], \
    d[1] ^ d[112] ^ d[117], \
    d[2] ^ d[24] ^ d[90] ^ d[117], \
    d[152], \
    d[30] ^ d[32] ^ d[75] ^ d[121], \
    d[23] ^ d[94] ^ d[123], \
    d[33] ^ d[97] ^ d[99] ^ d[126], \
    d[45] ^ d[66] ^ d[92] ^ d[116], \
    d[41] ^ d[74] ^ d[114] ^ d[118], \
    d[53] ^ d[76] ^ d[91] ^ d[128], \
    d[148], \
    d[147], \
    d[18] ^ d[34] ^ d[40] ^ d[122], \
    d[140], \
    d[137], \
    d[134], \
    d[133], \
    d[129], \
    d[126], \
    d[120], \
    d[117], \
    d[115], \
    d[109], \
    d[107], \
    d[104], \
    d[101], \
    d[100], \
    d[99], \
    d[97], \
    d[96], \
    d[94], \
    d[92], \
    d[89], \
    d[88], \
    d[87], \
    d[82], \
    d[76], \
    d[73], \
    d[64], \
    d[60], \
    d[50], \
    d[46], \
    d[45], \
    d[44], \
    d[43], \
    d[41], \
    d[39], \
    d[37], \
    d[35], \
    d[27], \
    d[26], \
    d[25], \
    d[22], \
    d[21], \
    d[18], \
    d[15], \
    d[12], \
    d[11], \
    d[4], \
    d[1], \
    d[0]})

`define NPS_CRC32_WORD_3_W 113
`define NPS_CRC32_WORD_3(d) ({ \
    d[87] ^ d[120] ^ d[195] ^ d[196], \
    d[51] ^ d[124] ^ d[193] ^ d[194], \
    d[68] ^ d[75] ^ d[191] ^ d[192], \
    d[73] ^ d[82] ^ d[188] ^ d[189], \
    d[190], \
    d[79] ^ d[81] ^ d[113] ^ d[186], \
    d[187], \
    d[100] ^ d[123] ^ d[182] ^ d[183], \
    d[185], \
    d[184], \
    d[66] ^ d[70] ^ d[180] ^ d[181], \
    d[110] ^ d[114] ^ d[178] ^ d[179], \
    d[54] ^ d[70] ^ d[82] ^ d[175], \
    d[177], \
    d[176], \
    d[51] ^ d[77] ^ d[96] ^ d[172], \
    d[174], \
    d[173], \
    d[87] ^ d[93] ^ d[95] ^ d[119], \
    d[59] ^ d[78] ^ d[128] ^ d[170], \
    d[171], \
    d[85] ^ d[96] ^ d[107] ^ d[168], \
    d[169], \
    d[107] ^ d[127] ^ d[166] ^ d[167], \
    d[80] ^ d[102] ^ d[106] ^ d[165], \
    d[64] ^ d[97] ^ d[108] ^ d[163], \
    d[164], \
    d[101] ^ d[102] ^ d[117] ^ d[121], \
    d[48] ^ d[89] ^ d[109] ^ d[161], \
    d[162], \
    d[59] ^ d[64] ^ d[75] ^ d[158], \
    d[160], \
    d[159], \
    d[58] ^ d[82] ^ d[99] ^ d[122], \
    d[157], \
    d[54] ^ d[58] ^ d[65] ^ d[91], \
    d[156], \
    d[155], \
    d[154], \
    d[153], \
    d[56] ^ d[119] ^ d[120] ^ d[151], \
    d[152], \
    d[86] ^ d[106] ^ d[117] ^ d[149], \
    d[150], \
    d[51] ^ d[98] ^ d[105] ^ d[147], \
    d[148], \
    d[99] ^ d[115] ^ d[145] ^ d[146], \
    d[55] ^ d[74] ^ d[76] ^ d[96], \
    d[144], \
    d[95] ^ d[111] ^ d[116] ^ d[143], \
    d[59] ^ d[81] ^ d[92] ^ d[142], \
    d[41] ^ d[62] ^ d[70] ^ d[141], \
    d[50] ^ d[51] ^ d[92] ^ d[139], \
    d[140], \
    d[64] ^ d[90] ^ d[112] ^ d[137], \
    d[138], \
    d[69] ^ d[75] ^ d[111] ^ d[135], \
    d[136], \
    d[81] ^ d[83] ^ d[85] ^ d[86], \
    d[134], \
    d[71] ^ d[113] ^ d[132] ^ d[133], \
    d[60] ^ d[103] ^ d[130] ^ d[131], \
    d[129], \
    d[127], \
    d[12] ^ d[26] ^ d[59], \
    d[3] ^ d[42] ^ d[71], \
    d[126], \
    d[125], \
    d[7] ^ d[34] ^ d[73], \
    d[123], \
    d[10] ^ d[17] ^ d[52], \
    d[122], \
    d[121], \
    d[20] ^ d[39] ^ d[67], \
    d[118], \
    d[25] ^ d[31] ^ d[68], \
    d[18] ^ d[58] ^ d[84], \
    d[116], \
    d[40] ^ d[62] ^ d[94], \
    d[115], \
    d[23] ^ d[45] ^ d[53], \
    d[22] ^ d[37] ^ d[48], \
    d[27] ^ d[50] ^ d[74], \
    d[33] ^ d[37] ^ d[55], \
    d[43] ^ d[63] ^ d[88], \
    d[49] ^ d[61] ^ d[66], \
    d[44] ^ d[57] ^ d[80], \
    d[0] ^ d[16] ^ d[53] ^ d[72], \
    d[110], \
    d[6] ^ d[35] ^ d[36] ^ d[54], \
    d[1] ^ d[14] ^ d[30] ^ d[52], \
    d[104], \
    d[103], \
    d[4] ^ d[8] ^ d[29] ^ d[69], \
    d[2] ^ d[19] ^ d[48] ^ d[76], \
    d[11] ^ d[13] ^ d[15] ^ d[60], \
    d[101], \
    d[100], \
    d[97], \
    d[93], \
    d[91], \
    d[5] ^ d[10] ^ d[46] ^ d[79], \
    d[24] ^ d[32] ^ d[56], \
    d[87], \
    d[9] ^ d[21] ^ d[55], \
    d[84], \
    d[83], \
    d[72], \
    d[67], \
    d[57], \
    d[47], \
    d[38], \
    d[28]})

`define NPS_CRC32_WORD_4_W 55
`define NPS_CRC32_WORD_4(d) ({ \
    d[25] ^ d[111] ^ d[112], \
    d[11] ^ d[36] ^ d[110], \
    d[20] ^ d[21] ^ d[34] ^ d[108], \
    d[109], \
    d[28] ^ d[45] ^ d[106] ^ d[107], \
    d[10] ^ d[103] ^ d[104] ^ d[105], \
    d[10] ^ d[32] ^ d[37] ^ d[44], \
    d[102], \
    d[31] ^ d[39] ^ d[47] ^ d[48], \
    d[101], \
    d[38] ^ d[48] ^ d[98] ^ d[99], \
    d[100], \
    d[17] ^ d[46] ^ d[95] ^ d[96], \
    d[97], \
    d[41] ^ d[92] ^ d[93] ^ d[94], \
    d[26] ^ d[90] ^ d[91], \
    d[88] ^ d[89], \
    d[18] ^ d[33] ^ d[46] ^ d[86], \
    d[87], \
    d[43] ^ d[45] ^ d[83] ^ d[84], \
    d[85], \
    d[30] ^ d[80] ^ d[81] ^ d[82], \
    d[17] ^ d[47] ^ d[78] ^ d[79], \
    d[16] ^ d[24] ^ d[42] ^ d[76], \
    d[77], \
    d[11] ^ d[73] ^ d[74] ^ d[75], \
    d[19] ^ d[29] ^ d[71] ^ d[72], \
    d[8] ^ d[37] ^ d[38] ^ d[69], \
    d[70], \
    d[7] ^ d[15] ^ d[67] ^ d[68], \
    d[34] ^ d[42] ^ d[66], \
    d[14] ^ d[32] ^ d[49] ^ d[64], \
    d[65], \
    d[23] ^ d[62] ^ d[63], \
    d[18] ^ d[21] ^ d[36] ^ d[40], \
    d[61], \
    d[5] ^ d[27] ^ d[28] ^ d[59], \
    d[60], \
    d[13] ^ d[27] ^ d[35] ^ d[57], \
    d[58], \
    d[56], \
    d[55], \
    d[9] ^ d[12] ^ d[30] ^ d[53], \
    d[54], \
    d[23] ^ d[25] ^ d[52], \
    d[51], \
    d[4] ^ d[6] ^ d[19] ^ d[50], \
    d[44], \
    d[39], \
    d[0] ^ d[3] ^ d[8], \
    d[31], \
    d[29], \
    d[1] ^ d[2] ^ d[22], \
    d[26], \
    d[10]})

`define NPS_CRC32_WORD_5_W 32
`define NPS_CRC32_WORD_5(d) ({ \
    d[54], \
    d[53], \
    d[51] ^ d[52], \
    d[5] ^ d[50], \
    d[49], \
    d[47] ^ d[48], \
    d[45] ^ d[46], \
    d[43] ^ d[44], \
    d[41] ^ d[42], \
    d[40], \
    d[39], \
    d[38], \
    d[36] ^ d[37], \
    d[34] ^ d[35], \
    d[33], \
    d[32], \
    d[7] ^ d[30] ^ d[31], \
    d[6] ^ d[29], \
    d[28], \
    d[26] ^ d[27], \
    d[5] ^ d[25], \
    d[24], \
    d[22] ^ d[23], \
    d[21], \
    d[19] ^ d[20], \
    d[17] ^ d[18], \
    d[3] ^ d[15] ^ d[16], \
    d[0] ^ d[2] ^ d[13] ^ d[14], \
    d[11] ^ d[12], \
    d[10], \
    d[2] ^ d[4] ^ d[9], \
    d[1] ^ d[8]})

`define NPS_CRC32_NEXT(s) ({ \
    ^((s) & 32'h40000000), \
    ^((s) & 32'h20000000), \
    ^((s) & 32'h10000000), \
    ^((s) & 32'h08000000), \
    ^((s) & 32'h04000000), \
    ^((s) & 32'h82000000), \
    ^((s) & 32'h01000000), \
    ^((s) & 32'h00800000), \
    ^((s) & 32'h80400000), \
    ^((s) & 32'h80200000), \
    ^((s) & 32'h00100000), \
    ^((s) & 32'h00080000), \
    ^((s) & 32'h00040000), \
    ^((s) & 32'h00020000), \
    ^((s) & 32'h00010000), \
    ^((s) & 32'h80008000), \
    ^((s) & 32'h00004000), \
    ^((s) & 32'h00002000), \
    ^((s) & 32'h00001000), \
    ^((s) & 32'h80000800), \
    ^((s) & 32'h80000400), \
    ^((s) & 32'h80000200), \
    ^((s) & 32'h00000100), \
    ^((s) & 32'h80000080), \
    ^((s) & 32'h80000040), \
    ^((s) & 32'h00000020), \
    ^((s) & 32'h80000010), \
    ^((s) & 32'h80000008), \
    ^((s) & 32'h00000004), \
    ^((s) & 32'h80000002), \
    ^((s) & 32'h80000001), \
    ^((s) & 32'h80000000)})

`define NPS_CRC32_VALUE_1_W 65
`define NPS_CRC32_VALUE_1(s) ({ \
    s[1] ^ s[6] ^ s[10] ^ s[16], \
    s[2] ^ s[10] ^ s[21] ^ s[27], \
    s[10] ^ s[13] ^ s[27] ^ s[28], \
    s[3] ^ s[5] ^ s[7] ^ s[11], \
    s[4] ^ s[12] ^ s[14] ^ s[16], \
    s[8] ^ s[13] ^ s[19] ^ s[20], \
    s[1] ^ s[7] ^ s[15] ^ s[23], \
    s[5] ^ s[9] ^ s[13] ^ s[14], \
    s[2] ^ s[3] ^ s[6] ^ s[8], \
    s[18] ^ s[19] ^ s[21] ^ s[22], \
    s[1] ^ s[13] ^ s[14] ^ s[16], \
    s[7] ^ s[9] ^ s[18] ^ s[28], \
    s[4] ^ s[5] ^ s[21] ^ s[30], \
    s[1] ^ s[24] ^ s[29], \
    s[6] ^ s[23] ^ s[26], \
    s[2] ^ s[17] ^ s[22] ^ s[25], \
    s[16] ^ s[20] ^ s[22], \
    s[3] ^ s[15] ^ s[16] ^ s[17], \
    s[12] ^ s[13] ^ s[14] ^ s[18], \
    s[5] ^ s[8] ^ s[21] ^ s[23], \
    s[10] ^ s[26] ^ s[30], \
    s[27] ^ s[29] ^ s[30], \
    s[24] ^ s[25] ^ s[31], \
    s[3] ^ s[5] ^ s[6] ^ s[23], \
    s[8] ^ s[10] ^ s[14] ^ s[19], \
    s[11] ^ s[17] ^ s[20] ^ s[25], \
    s[1] ^ s[17] ^ s[24], \
    s[4] ^ s[9] ^ s[21] ^ s[25], \
    s[8] ^ s[15] ^ s[18] ^ s[27], \
    s[11] ^ s[16] ^ s[20], \
    s[13] ^ s[14] ^ s[22] ^ s[30], \
    s[3] ^ s[7] ^ s[9] ^ s[19], \
    s[2] ^ s[8] ^ s[23] ^ s[31], \
    s[4] ^ s[27] ^ s[28] ^ s[29], \
    s[31], \
    s[30], \
    s[29], \
    s[28], \
    s[27], \
    s[26], \
    s[25], \
    s[24], \
    s[23], \
    s[22], \
    s[21], \
    s[20], \
    s[19], \
    s[18], \
    s[17], \
    s[16], \
    s[15], \
    s[13], \
    s[12], \
    s[11], \
    s[10], \
    s[9], \
    s[8], \
    s[7], \
    s[6], \
    s[5], \
    s[4], \
    s[3], \
    s[2], \
    s[1], \
    s[0]})

`define NPS_CRC32_VALUE_2_W 71
`define NPS_CRC32_VALUE_2(s) ({ \
    s[29] ^ s[31] ^ s[49] ^ s[64], \
    s[63], \
    s[62], \
    s[61], \
    s[1] ^ s[25] ^ s[31] ^ s[35], \
    s[9] ^ s[31] ^ s[41] ^ s[48], \
    s[1] ^ s[16] ^ s[35] ^ s[37], \
    s[19] ^ s[23] ^ s[24] ^ s[32], \
    s[25] ^ s[45] ^ s[51] ^ s[60], \
    s[4] ^ s[21] ^ s[28] ^ s[33], \
    s[9] ^ s[14] ^ s[29] ^ s[42], \
    s[3] ^ s[16] ^ s[27] ^ s[36], \
    s[22] ^ s[43] ^ s[47] ^ s[59], \
    s[7] ^ s[23] ^ s[40] ^ s[47], \
    s[58], \
    s[57], \
    s[19] ^ s[29] ^ s[30] ^ s[37], \
    s[56], \
    s[55], \
    s[54], \
    s[3] ^ s[6] ^ s[34] ^ s[35], \
    s[53], \
    s[2] ^ s[17] ^ s[25] ^ s[35], \
    s[52], \
    s[7] ^ s[15] ^ s[27] ^ s[34], \
    s[0] ^ s[5] ^ s[7] ^ s[36], \
    s[51], \
    s[2] ^ s[36] ^ s[44], \
    s[50], \
    s[10] ^ s[28] ^ s[42], \
    s[11] ^ s[30] ^ s[31], \
    s[49], \
    s[48], \
    s[1] ^ s[12] ^ s[34] ^ s[39], \
    s[46], \
    s[45], \
    s[11] ^ s[12] ^ s[15] ^ s[34], \
    s[44], \
    s[17] ^ s[20] ^ s[38], \
    s[18] ^ s[21] ^ s[23] ^ s[32], \
    s[43], \
    s[42], \
    s[41], \
    s[40], \
    s[5] ^ s[13] ^ s[21] ^ s[35], \
    s[6] ^ s[20] ^ s[28] ^ s[32], \
    s[39], \
    s[13] ^ s[14] ^ s[26] ^ s[33], \
    s[38], \
    s[37], \
    s[6] ^ s[10] ^ s[12] ^ s[31], \
    s[36], \
    s[35], \
    s[33], \
    s[32], \
    s[30], \
    s[27], \
    s[25], \
    s[20], \
    s[19], \
    s[18], \
    s[17], \
    s[16], \
    s[14], \
    s[12], \
    s[9], \
    s[8], \
    s[7], \
    s[5], \
    s[3], \
    s[2]})

`define NPS_CRC32_VALUE_3_W 40
`define NPS_CRC32_VALUE_3(s) ({ \
    s[70], \
    s[34] ^ s[42] ^ s[69], \
    s[16] ^ s[17] ^ s[32] ^ s[68], \
    s[6] ^ s[10] ^ s[25] ^ s[67], \
    s[28] ^ s[29] ^ s[36] ^ s[66], \
    s[32] ^ s[65], \
    s[27] ^ s[30] ^ s[42] ^ s[64], \
    s[17] ^ s[30] ^ s[63], \
    s[3] ^ s[6] ^ s[22] ^ s[43], \
    s[23] ^ s[62], \
    s[18] ^ s[43] ^ s[61], \
    s[3] ^ s[14] ^ s[16] ^ s[37], \
    s[20] ^ s[35] ^ s[60], \
    s[5] ^ s[7] ^ s[9] ^ s[25], \
    s[21] ^ s[26] ^ s[59], \
    s[12] ^ s[19] ^ s[28] ^ s[37], \
    s[58], \
    s[40] ^ s[57], \
    s[26] ^ s[27] ^ s[56], \
    s[55], \
    s[36] ^ s[53] ^ s[54], \
    s[13] ^ s[14] ^ s[41] ^ s[52], \
    s[11] ^ s[20] ^ s[31] ^ s[51], \
    s[41] ^ s[50], \
    s[31] ^ s[33] ^ s[49], \
    s[2] ^ s[4] ^ s[17] ^ s[32], \
    s[23] ^ s[48], \
    s[23] ^ s[24] ^ s[47], \
    s[25] ^ s[46], \
    s[21] ^ s[34] ^ s[44] ^ s[45], \
    s[40], \
    s[39], \
    s[38], \
    s[1] ^ s[13] ^ s[15] ^ s[20], \
    s[26], \
    s[22], \
    s[8], \
    s[4], \
    s[3], \
    s[0]})

`define NPS_CRC32_VALUE_4_W 32
`define NPS_CRC32_VALUE_4(s) ({ \
    s[39], \
    s[38], \
    s[37], \
    s[36], \
    s[35], \
    s[34], \
    s[33], \
    s[1] ^ s[2] ^ s[6] ^ s[8], \
    s[32], \
    s[31], \
    s[30], \
    s[29], \
    s[28], \
    s[27], \
    s[5] ^ s[26], \
    s[25], \
    s[24], \
    s[23], \
    s[22], \
    s[21], \
    s[3] ^ s[6] ^ s[20], \
    s[19], \
    s[18], \
    s[17], \
    s[0] ^ s[4] ^ s[6] ^ s[7], \
    s[16], \
    s[15], \
    s[9] ^ s[14], \
    s[13], \
    s[12], \
    s[11], \
    s[10]} ^ 32'hFFFFFFFF)

`endif
