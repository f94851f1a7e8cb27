import type { Rule } from '../rule.ts';

/*
 * Slingshot: severities are those of HPE's host software documents ("Kernel Severity" CRIT = critical, ERR and WARNING =
 * warning, NOTICE and INFO = none or info). The driver is `cxi_ss1`, in older releases `cxi_core`.
 */

/** `cxi_ss1 0000:41:00.0: cxi0[hsn0] TEXT`, of error flags `cxi0[hsn0]: TEXT`. */
const CXI = '^cxi_\\w{1,12} [0-9a-f:.]{5,16}: (?<part>cxi\\d{1,3})(?:\\[\\w{0,16}\\])?:? ';

const cxi = (rest: string) => new RegExp(CXI + rest);

export const fabricRules: readonly Rule[] = [
  {
    id: 'cxi-link-down',
    kind: 'hsn_link_down',
    literals: ['CXI_EVENT_LINK_DOWN'],
    from: 'kernel',
    match: cxi('CXI_EVENT_LINK_DOWN'),
    examples: {
      yes: [
        '[Wed Nov  8 13:26:51 2023] cxi_core 0000:c3:00.0: cxi3[hsn3] CXI_EVENT_LINK_DOWN',
        '[  880.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN',
      ],
      no: [
        'x1:~ # dmesg | grep CXI_EVENT_LINK_DOWN',
        '[  880.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0]: C_EC_TRNSNT_NS: C1_HNI_PML error: pcs_link_down (48)',
      ],
    },
  },
  {
    id: 'cxi-link-up',
    clears: ['hsn_link_down'],
    literals: ['CXI_EVENT_LINK_UP'],
    from: 'kernel',
    match: cxi('CXI_EVENT_LINK_UP'),
    examples: {
      yes: [
        '[  881.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP',
        '[  881.000001] cxi_core 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP',
      ],
      no: ['CXI_EVENT_LINK_UP'],
    },
  },
  {
    id: 'cxi-administrative',
    mark: 'administrative_link',
    literals: ['lmon taking link down'],
    from: 'kernel',
    match: cxi('lmon taking link down \\(reason (?:config|cmd)\\b'),
    examples: {
      yes: ['[  879.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] lmon taking link down (reason cmd, bl: up)'],
      no: ['[  879.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] lmon taking link down (reason lmon ucw, bl: up)'],
    },
  },
  {
    id: 'cxi-critical',
    kind: 'hsn_nic_crit',
    literals: ['C_EC_CRIT: ', 'C_EC_UNCOR'],
    from: 'kernel',
    match: cxi('(?:C_EC_CRIT|C_EC_UNCOR_N?S): \\w{1,40} error: (?<item>\\w{1,60})'),
    // The driver lowers these two itself: poor link quality, and the side effect of a corrected PCIe error.
    veto: /error: (?:llr_eopb|pri_rbyp_abort)\b/,
    examples: {
      yes: [
        '[122215.631871] cxi_ss1 0000:11:00.0: cxi0[hsn0]: C_EC_CRIT: C_PCT_EXT error: tct_tbl_dealloc (18)',
        '[  900.000001] cxi_core 0000:41:00.0: cxi1[hsn1]: C_EC_UNCOR_NS: C_OXE error: pbuf_wr_err (12) (was first error at 1674414354:329651605)',
      ],
      no: [
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_CRIT: C_PI_IPD_EXT error: pri_rbyp_abort (44)',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_UNCOR_NS: C1_HNI error: llr_eopb (32) (was first error at 1674414354:329651605)',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_INFO: C_PI_EXT error: pri_rarb_xlat_rbyp_abort_error (35)',
      ],
    },
  },
  {
    id: 'cxi-unusable',
    kind: 'hsn_nic_crit',
    literals: ['serdes fw corruption alert', 'QSFP_EPO_TEMPERATURE', 'in fatal state', 'Disabling device'],
    from: 'kernel',
    match: cxi(
      '(?:\\(sbl\\): \\d{1,3}: )?(?:uC: )?(?<item>serdes fw corruption alert|QSFP_EPO_TEMPERATURE|.{0,80}in fatal state|Disabling device)',
    ),
    examples: {
      yes: [
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] (sbl): 0: serdes fw corruption alert',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] uC: QSFP_EPO_TEMPERATURE',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] uC: ATT1_SENSOR_ALERT: sensor 3 (QSFP temp) in fatal state',
      ],
      no: [
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] uC: ASIC_EPO_TEMPERATURE',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] uC: ATT1_SENSOR_ALERT',
      ],
    },
  },
  {
    id: 'cxi-degraded',
    kind: 'hsn_nic_degraded',
    literals: ['C_EC_DEGRD'],
    from: 'kernel',
    match: cxi('C_EC_DEGRD_N?S: \\w{1,40} error: (?<item>\\w{1,60})'),
    examples: {
      yes: [
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_DEGRD_NS: C_LPE error: mem_cor_err (9)',
        '[  900.000001] cxi_core 0000:41:00.0: cxi0[hsn0]: C_EC_DEGRD_NS: C_ATU error: ats_dynptr_err (3) (was first error at 1675518045:993752891)',
      ],
      no: ['[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_SFTWR: C_LPE error: app_err (9)'],
    },
  },
  {
    id: 'cxi-benign',
    kind: 'hsn_nic_warn',
    severity: 'info',
    literals: ['llr_eopb', 'pri_rbyp_abort', 'ptl_invld_vni'],
    from: 'kernel',
    match: cxi('C_EC_\\w{1,12}: \\w{1,40} error: (?<item>llr_eopb|pri_rbyp_abort|ptl_invld_vni)\\b'),
    examples: {
      yes: [
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_BADCON_S: C_RMU error: ptl_invld_vni (49)',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_UNCOR_NS: C1_HNI error: llr_eopb (32)',
      ],
      no: ['[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_CRIT: C_PCT_EXT error: tct_tbl_dealloc (18)'],
    },
  },
  {
    id: 'cxi-warning',
    kind: 'hsn_nic_warn',
    literals: [
      'C_EC_BADCON',
      'C_EC_COR',
      ' degrade ',
      'lane degrade',
      'PCIe error: ',
      'Bad cable present',
      'in critical state',
      'in warning state',
      'lmon: up request failed',
      'link down alert',
      'sbl_link_down failed',
    ],
    from: 'kernel',
    match: cxi(
      '(?:C_EC_(?:BADCON_N?S|COR): \\w{1,40} error: (?<item>\\w{1,60})|(?:\\(sbl\\): \\d{1,3}: )?(?<item2>(?:tx|rx) degrade(?: failure)? alert|.{0,40}lane degrade|PCIe error: \\w{1,40}|Bad cable present|.{0,60}in (?:critical|warning) state|lmon: up request failed|link: fabric stop, sbl_link_down failed))',
    ),
    veto: /error: ptl_invld_vni/,
    examples: {
      yes: [
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_BADCON_NS: C_CQ error: cmd_size_error (12)',
        '[  900.000001] cxi_core 0000:41:00.0: cxi0[hsn0]: C_EC_COR: C_MB error: mem_cor_err (3)',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] (sbl): 0: rx degrade failure alert',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] Bad cable present',
      ],
      no: [
        '[   12.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] NID has not been explicitly set. NID derived from MAC',
        '[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0]: C_EC_TRNSNT_NS: C1_HNI_PML error: pcs_tx_dp_err (35)',
        '[   12.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] uC firmware version: 3.1.6',
        '[   12.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] Cannot find the PCIe DVSEC header',
      ],
    },
  },
  {
    id: 'cxi-masking',
    mark: 'dropped',
    literals: ['Too many interrupts for '],
    from: 'kernel',
    match: cxi('Too many interrupts for (?<text>[\\w.]{1,80})\\. Masking'),
    examples: {
      yes: ['[  900.000001] cxi_ss1 0000:41:00.0: cxi0[hsn0] Too many interrupts for C_RMU.ptl_invld_vni. Masking.'],
      no: ['app: Too many interrupts for x. Masking.'],
    },
  },
  {
    id: 'retry-handler-died',
    kind: 'hsn_retry_handler',
    severity: 'critical',
    literals: ['atal error: ', 'cxi_rh@cxi'],
    from: 'console',
    match:
      /^(?:cxi_rh(?:@cxi\d)?(?:\[\d{1,10}\])?: (?:RH: )?[Ff]atal error: (?<text>.{1,160})|systemd\[1\]: cxi_rh@cxi\d{1,3}\.service: (?<text2>Main process exited.{0,60}|Failed with result.{0,60}))/,
    veto: /code=exited, status=0/,
    examples: {
      yes: [
        '[ 3000.000001] cxi_rh[881]: RH: fatal error: could not read from event queue',
        "[ 3000.000001] systemd[1]: cxi_rh@cxi0.service: Failed with result 'core-dump'.",
      ],
      no: [
        '[   15.017744] cxi_rh[881]: CXI retry handler version: 2.2.0',
        '[   15.018001] cxi_rh[881]: using config file: /etc/cxi_rh.conf',
      ],
    },
  },
  {
    id: 'retry-handler-cancel',
    kind: 'hsn_retry_handler',
    literals: ['now cancelling all ', 'cancel completed for sct', 'to parked list', 'to parked switches'],
    from: 'console',
    match:
      /^cxi_rh(?:@cxi\d)?(?:\[\d{1,10}\])?: (?:RH: )?(?:now cancelling all \d{1,6} SPTs on the sct=\d{1,6} \((?<item>nid=\d{1,10})|cancel completed for sct=\d{1,6}|Adding (?<item2>nid=\d{1,10}|switch=\d{1,10})\b.{0,60} to parked)/,
    block: 10,
    examples: {
      yes: [
        '[ 3000.000001] cxi_rh[6702]: RH: now cancelling all 1 SPTs on the sct=2253 (nid=301808, ep=0, vni=9408)',
        '[ 3000.000001] cxi_rh[6702]: Adding nid=301808 (mac=02:00:00:04:9a:f0) to parked list',
        '[ 3000.000001] cxi_rh[6702]: Adding switch=412 to parked switches',
        '[ 3000.000001] cxi_rh[6702]: RH: cancel completed for sct=2253 (nid=301808)',
      ],
      no: [
        '[ 3000.000001] cxi_rh[6702]: RH: retry completed for sct=2253 (nid=301808)',
        '[ 3000.000001] cxi_rh[6702]: RH: retrying SPT chain sct=12',
        '[   15.018001] cxi_rh[881]: max_spt_retries (0-7): 5',
      ],
    },
  },
  {
    id: 'eth-link-down',
    kind: 'eth_link_down',
    literals: [': Link down', 'Link is Down', 'Link is down', 'link status definitely down', 'link is down', 'Link Down'],
    from: 'kernel',
    match:
      /^(?:(?:mlx5_core|mlx4_en|mlx4_core|ice|ixgbe|i40e|igb|igc|e1000e|e1000|tg3|bnxt_en|bnx2x|bnx2|qede|sfc|be2net|ena|atlantic|r8169|nfp|cxgb4|hns3|fm10k|ionic|liquidio|enic)[: ]{1,2}(?:[0-9a-f:.]{5,16}:? )?)?(?<part>[a-z][\w.@-]{1,31})(?: \([\w ]{1,20}\))?: (?:NIC )?[Ll]ink (?:is )?[Dd]own\b|^(?:bonding: )?[\w.-]{1,16}: (?:\([\w ]{1,20}\): )?link status definitely down for (?:\w{1,12} )?interface (?<part2>[\w.-]{1,16})/,
    veto: /^ata\d|SATA link|Slot\(|pcieport|^usb/,
    examples: {
      yes: [
        '[ 4000.000001] mlx5_core 0000:41:00.0 ens1f0: Link down',
        '[ 4000.000001] mlx5_core 0000:41:00.0: ens1f0: Link down',
        '[ 4000.000001] ice 0000:31:00.0 eth0: NIC Link is Down',
        '[ 4000.000001] tg3 0000:02:00.0 eth1: Link is down',
        '[ 4000.000001] igb 0000:02:00.0 eth1: igb: eth1 NIC Link is Down'.replace('igb: eth1 ', ''),
        '[ 4000.000001] bnxt_en 0000:01:00.0 eno1: NIC Link is Down',
        '[ 4000.000001] bond0: (slave eth2): link status definitely down for interface eth2, disabling it',
        '[ 4000.000001] bond0: link status definitely down for interface eth1, disabling it',
      ],
      no: [
        '[    2.000001] ata3: SATA link down (SStatus 0 SControl 300)',
        '[    2.000001] pcieport 0000:00:01.0: pciehp: Slot(3): Link Down',
        '[   11.000001] IPv6: ADDRCONF(NETDEV_UP): eth0: link is not ready',
      ],
    },
  },
  {
    id: 'eth-link-up',
    clears: ['eth_link_down'],
    literals: [': Link up', 'Link is Up', 'Link is up', 'link is up', 'link becomes ready', 'link status definitely up', 'Link Up'],
    from: 'kernel',
    match:
      /^(?:(?:[\w-]{2,16})[: ]{1,2}(?:[0-9a-f:.]{5,16}:? )?)?(?:IPv6: ADDRCONF\(NETDEV_CHANGE\): )?(?<part>[a-z][\w.@-]{1,31}): (?:NIC )?[Ll]ink (?:is )?(?:[Uu]p|becomes ready)\b|^(?:bonding: )?[\w.-]{1,16}: (?:\([\w ]{1,20}\): )?link status definitely up for (?:\w{1,12} )?interface (?<part2>[\w.-]{1,16})/,
    veto: /^ata\d|SATA link/,
    examples: {
      yes: [
        '[ 4010.000001] mlx5_core 0000:41:00.0 ens1f0: Link up',
        '[ 4010.000001] ice 0000:31:00.0 eth0: NIC Link is up 100 Gbps Full Duplex',
        '[ 4010.000001] ixgbe 0000:18:00.0 eth1: NIC Link is Up 10 Gbps, Flow Control: RX/TX',
        '[   12.000001] IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready',
        '[ 4010.000001] bond0: (slave eth2): link status definitely up for interface eth2'.replace('for interface', 'for interface'),
      ],
      no: ['[    2.000001] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)'],
    },
  },
  {
    id: 'nic-hardware',
    kind: 'nic_hw',
    literals: [
      'Port module event',
      'nsufficient power on the PCIe slot',
      'PCI slot is unavailable',
      'handling bad device here',
      'NETDEV WATCHDOG: ',
      'EEPROM Checksum Is Not Valid',
      'NVM Checksum Is Not Valid',
      'High Temperature',
      'Adapter removed',
      'Tx Unit Hang',
      'health compromised',
      'irmware internal error',
      'Fatal error 1, entering error',
      'Detected over-temperature',
    ],
    from: 'kernel',
    match:
      /^(?:[\w-]{2,16} (?<part>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d)(?: [\w.-]{1,16})?:? (?:[\w.-]{1,24}:?(?:\d{1,6}:)?(?:\(pid \d{1,10}\):)? ?)?(?:\w{1,16}: )?(?<text>Port module event\[error\].{0,80}|Detected insufficient power on the PCIe slot.{0,40}|PCI slot is unavailable|handling bad device here|The (?:EEPROM|NVM) Checksum Is Not Valid|Detected Tx Unit Hang|Adapter removed|.{0,40}health compromised.{0,60}|Firmware internal error.{0,40}|Fatal error 1, entering error|Detected over-temperature.{0,40})|NETDEV WATCHDOG: (?:CPU: \d{1,5}: )?(?<part2>[\w.-]{1,32}) \([\w-]{1,32}\): transmit queue \d{1,5} timed out|(?:[\w-]{1,16} [\w.:-]{1,24} )?(?<part3>[\w.-]{1,32})(?: \(\w{1,20}\))?: NETDEV WATCHDOG: CPU: \d{1,5}: transmit queue \d{1,5} timed out)/,
    part: 'unnamed',
    block: 60,
    examples: {
      yes: [
        '[ 4000.000001] mlx5_core 0000:41:00.0: Port module event[error]: module 0, Cable error, High Temperature',
        '[   12.000001] mlx5_core 0000:41:00.0: Detected insufficient power on the PCIe slot (26W).',
        '[ 4000.000001] NETDEV WATCHDOG: eth0 (bnxt_en): transmit queue 3 timed out',
        '[ 4000.000001] NETDEV WATCHDOG: CPU: 4: eth0 (bnxt_en): transmit queue 3 timed out 5376 ms',
        '[ 4000.000001] bnxt_en 0000:21:00.0 eth0: NETDEV WATCHDOG: CPU: 4: transmit queue 3 timed out 5376 ms',
        '[ 4000.000001] mlx5_core 0000:41:00.0: health_care:152:(pid 12): handling bad device here',
        '[   16.721165] ixgbe 0000:18:00.0: The EEPROM Checksum Is Not Valid',
      ],
      no: [
        '[ 4000.000001] mlx5_core 0000:41:00.0: mlx5_cmd_out_err:838:(pid 4021): ACCESS_REG(0x805) op_mod(0x1) failed, status bad parameter(0x3)',
        '[   12.000001] mlx5_core 0000:41:00.0: Port module event: module 0, Cable plugged',
      ],
    },
  },
];
