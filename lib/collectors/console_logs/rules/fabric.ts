import type { Rule } from '../rule.ts';

/** Slingshot (cxi), Ethernet and bonding. */
export const fabricRules: readonly Rule[] = [
  {
    id: 'cxi-link-down',
    kind: 'hsn_link_down',
    literals: ['CXI_EVENT_LINK_DOWN'],
    from: 'kernel',
    match: /^cxi_\w{1,12} [0-9a-f:.]{5,16}: (?<part>cxi\d{1,3})(?:\[\w{1,16}\])?:? .{0,40}CXI_EVENT_LINK_DOWN/,
    examples: {
      yes: [
        '[Wed Nov  8 13:26:51 2023] cxi_core 0000:c3:00.0: cxi3[hsn3] CXI_EVENT_LINK_DOWN',
        '[  880.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN',
      ],
      no: ['x1:~ # dmesg | grep CXI_EVENT_LINK_DOWN'],
    },
  },
  {
    id: 'cxi-link-up',
    clears: ['hsn_link_down'],
    literals: ['CXI_EVENT_LINK_UP'],
    from: 'kernel',
    match: /^cxi_\w{1,12} [0-9a-f:.]{5,16}: (?<part>cxi\d{1,3})(?:\[\w{1,16}\])?:? .{0,40}CXI_EVENT_LINK_UP/,
    examples: { yes: ['[  881.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP'], no: ['CXI_EVENT_LINK_UP'] },
  },
  {
    id: 'eth-link-down',
    kind: 'eth_link_down',
    literals: [': Link down', 'Link is Down', 'Link is down', 'link status definitely down', 'link is not up'],
    from: 'kernel',
    match:
      /^(?:(?:mlx5_core|mlx4_en|ice|ixgbe|i40e|igb|igc|e1000e|tg3|bnxt_en|bnx2x|qede|sfc|be2net|ena|atlantic|r8169|nfp|cxgb4|thunder\w*|hns3)[: ]{1,2}(?:[0-9a-f:.]{5,16}:? )?)?(?<part>[a-z][\w.@-]{1,31}): (?:NIC )?[Ll]ink (?:is )?[Dd]own\b|^(?:bonding: )?[\w.-]{1,16}: (?:\([\w ]{1,20}\): )?link status definitely down for interface (?<slave>[\w.-]{1,16})/,
    veto: /^ata\d|SATA link|Slot\(|pcieport|^usb/,
    examples: {
      yes: [
        '[ 4000.000001] mlx5_core 0000:41:00.0 ens1f0: Link down',
        '[ 4000.000001] ice 0000:31:00.0 eth0: NIC Link is Down',
        '[ 4000.000001] tg3 0000:02:00.0 eth1: Link is down',
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
    literals: [': Link up', 'Link is Up', 'Link is up', 'link becomes ready'],
    from: 'kernel',
    match:
      /^(?:(?:[\w-]{2,16})[: ]{1,2}(?:[0-9a-f:.]{5,16}:? )?)?(?:IPv6: ADDRCONF\(NETDEV_CHANGE\): )?(?<part>[a-z][\w.@-]{1,31}): (?:NIC )?[Ll]ink (?:is )?(?:[Uu]p|becomes ready)\b/,
    veto: /^ata\d|SATA link/,
    examples: {
      yes: [
        '[ 4010.000001] mlx5_core 0000:41:00.0 ens1f0: Link up',
        '[ 4010.000001] ice 0000:31:00.0 eth0: NIC Link is up 100 Gbps Full Duplex',
        '[   12.000001] IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready',
      ],
      no: ['[    2.000001] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)'],
    },
  },
];
