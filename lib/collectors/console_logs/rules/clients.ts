import type { Rule } from '../rule.ts';

/** Clients of network file systems: Lustre (with and without its numeric codes), NFS, Weka, DVS. */
export const clientRules: readonly Rule[] = [
  {
    id: 'lustre-lbug',
    kind: 'lustre_lbug',
    literals: [')) LBUG', 'rror: LBUG', 'ASSERTION( ', 'ASSERTION('],
    from: 'kernel',
    match:
      /^LustreError: (?:\d{1,10}:\d{1,6}:\([\w.-]{1,40}:\d{1,6}:\w{1,64}\(\)\) )?(?<text>LBUG|ASSERTION\( ?.{1,160}? ?\) failed.{0,60})/,
    block: 60,
    examples: {
      yes: [
        '[  99.000001] LustreError: 4021:0:(osc_cache.c:1141:osc_extent_make_ready()) ASSERTION( last_oap_count > 0 ) failed: ',
        '[  99.000001] LustreError: 4021:0:(osc_cache.c:1141:osc_extent_make_ready()) LBUG',
      ],
      no: ['app: ASSERTION( x ) failed'],
    },
  },
  {
    id: 'lustre-evicted',
    kind: 'lustre_evicted',
    literals: ['client was evicted by', 'Evicted from ', 'was evicted due to a lock', 'I am evicting it'],
    from: 'kernel',
    match:
      /^Lustre(?:Error)?: (?:\d{1,5}-\d{1,3}: )?(?:\d{1,10}:\d{1,6}:\([\w.-]{1,40}:\d{1,6}:\w{1,64}\(\)\) )?(?:(?<part>[\w.@-]{1,64}?)(?:-(?:osc|mdc|lwp|osp)(?:-MDT\w{1,8})?)?(?:-[0-9a-f]{12,16})?: (?:This client was evicted by |A client on nid .{1,60} was evicted due to a lock|haven't heard from client .{1,120} I am evicting it)|Evicted from (?<part2>[\w.-]{1,64}?)(?:_UUID)?(?: |$))/,
    examples: {
      yes: [
        '[  99.000001] LustreError: 167-0: scratch-OST0004-osc-ffff9bd3e3c40000: This client was evicted by scratch-OST0004; in progress operations using this service will fail.',
        '[  99.000001] LustreError: scratch-MDT0000-mdc-ffff9bd3e3c40000: This client was evicted by scratch-MDT0000; in progress operations using this service will fail.',
        '[  99.000001] Lustre: Evicted from scratch-MDT0000_UUID (at 10.1.0.9@tcp) after server handle changed from 0x1 to 0x2',
      ],
      no: ['[  99.000001] Lustre: Mounted scratch-client', '[  99.000001] Lustre: Unmounted scratch-client'],
    },
  },
  {
    id: 'lustre-connection-lost',
    kind: 'lustre_conn_lost',
    literals: ['was lost; in progress operations', 'Request sent has timed out', 'Request sent has failed due to'],
    from: 'kernel',
    match:
      /^Lustre(?:Error)?: (?:\d{1,5}-\d{1,3}: )?(?:\d{1,10}:\d{1,6}:\([\w.-]{1,40}:\d{1,6}:\w{1,64}\(\)\) )?(?:@@@ Request sent has (?<text>timed out for (?:slow reply|sent delay)|failed due to network error): (?:.{0,200}? o\d{1,4}->(?<part2>[\w.-]{1,64}?)(?:-(?:osc|mdc|lwp|osp)(?:-MDT\w{1,8})?)?(?:-[0-9a-f]{12,16})?@.{0,200}|.{0,200})|(?<part>[\w.@-]{1,64}?)(?:-(?:osc|mdc|lwp|osp)(?:-MDT\w{1,8})?)?(?:-[0-9a-f]{12,16})?: Connection to [\w.-]{1,64} \(at .{1,60}\) was lost; in progress operations using this service will (?:wait|fail))/,
    examples: {
      yes: [
        '[  99.000001] Lustre: scratch-OST0004-osc-ffff9bd3e3c40000: Connection to scratch-OST0004 (at 10.1.0.9@o2ib) was lost; in progress operations using this service will wait for recovery to complete',
        '[  99.000001] LustreError: 166-1: MGC10.1.0.9@o2ib: Connection to MGS (at 10.1.0.9@o2ib) was lost; in progress operations using this service will fail',
        '[  99.000001] Lustre: 4021:0:(client.c:2114:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1570000000/real 1570000000]  req@ffff9a3c4d5e6000 x1640000000000000/t0(0) o400->scratch-OST0001-osc-ffff9bd3e3c40000@10.1.0.9@o2ib:28/4 lens 224/224',
      ],
      no: [
        '[  99.000001] Lustre: Skipped 3 previous similar messages',
        '[  99.000001] Lustre: scratch-OST0004-osc-ffff9bd3e3c40000: Connection restored to scratch-OST0004 (at 10.1.0.9@o2ib)',
      ],
    },
  },
  {
    id: 'lustre-restored',
    clears: ['lustre_evicted', 'lustre_conn_lost'],
    literals: ['Connection restored to'],
    from: 'kernel',
    match:
      /^Lustre: (?:\d{1,10}:\d{1,6}:\([\w.-]{1,40}:\d{1,6}:\w{1,64}\(\)\) )?(?<part>[\w.@-]{1,64}?)(?:-(?:osc|mdc|lwp|osp)(?:-MDT\w{1,8})?)?(?:-[0-9a-f]{12,16})?: Connection restored to/,
    examples: {
      yes: [
        '[  99.000001] Lustre: scratch-OST0004-osc-ffff9bd3e3c40000: Connection restored to scratch-OST0004 (at 10.1.0.9@o2ib)',
        '[  99.000001] Lustre: scratch-OST0004-osc-ffff9bd3e3c40000: Connection restored to 10.1.0.9@o2ib (at 10.1.0.9@o2ib)',
      ],
      no: ['Connection restored to peer'],
    },
  },
  {
    id: 'repeated',
    mark: 'repeated',
    literals: ['previous similar message', 'callbacks suppressed'],
    from: 'kernel',
    match:
      /^(?:Lustre(?:Error)?: (?:\d{1,10}:\d{1,6}:\([\w.-]{1,40}:\d{1,6}:\w{1,64}\(\)\) )?Skipped (?<n>\d{1,9}) previous similar messages?|[\w.:() ,/-]{1,60}: (?<n2>\d{1,9}) callbacks suppressed)/,
    examples: {
      yes: [
        '[  99.000001] Lustre: Skipped 3 previous similar messages',
        '[  99.000001] LustreError: 4021:0:(ldlm_lib.c:3543:target_bulk_io()) Skipped 17 previous similar messages',
        '[  99.000001] net_ratelimit: 42 callbacks suppressed',
      ],
      no: ['app: Skipped 3 previous similar messages'],
    },
  },
  {
    id: 'nfs-hang',
    kind: 'nfs_hang',
    literals: [' not responding'],
    from: 'kernel',
    match: /^nfs4?: server (?<part>[\w.:-]{1,128}) not responding, (?<text>still trying|timed out)/,
    block: 5,
    examples: {
      yes: [
        '[  99.000001] nfs: server nas1.demo.test not responding, still trying',
        '[  99.000001] nfs: server 10.1.0.9 not responding, timed out',
        '[  99.000001] nfs4: server nas1 not responding, timed out',
      ],
      no: ['app: server nas1 not responding, still trying', '[  99.000001] lockd: server nas1 not responding, still trying'],
    },
  },
  {
    id: 'nfs-ok',
    clears: ['nfs_hang'],
    literals: ['nfs: server ', 'nfs4: server '],
    from: 'kernel',
    match: /^nfs4?: server (?<part>[\w.:-]{1,128}) OK/,
    examples: {
      yes: ['[  99.000001] nfs: server nas1.demo.test OK'],
      no: ['[  99.000001] nfs: server nas1.demo.test not responding, still trying'],
    },
  },
  {
    id: 'weka-down',
    kind: 'weka_client',
    severity: 'critical',
    literals: ['ALL FEs down', 'All FEs down', 'all FEs down', 'll frontends down', 'll frontends are down'],
    from: 'kernel',
    match: /^(?:wekafs\w{0,8})\b.{0,80}(?<text>all (?:FEs|frontends)(?: are)? down)/i,
    block: 60,
    examples: {
      yes: ['[  99.000001] wekafsio: ALL FEs down, failing IO', '[  99.000001] wekafsio: [E] all frontends are down'],
      no: ['weka[12]: ALL FEs down'],
    },
  },
  {
    id: 'weka-trouble',
    kind: 'weka_client',
    literals: ['wekafsio', 'wekafsgw', 'wekafs:'],
    from: 'kernel',
    match:
      /^wekafs(?:io|gw)?\b.{0,80}?(?<text>\b(?:FE|frontend|driver|backend|connection|mount|session)\b.{0,40}\b(?:was down|is down|went down|down|not connected|disconnected|timed out|timeout|not responding|lost)\b.{0,60})/,
    veto: /taints kernel|reconnected|connected again|\bup\b|restored/i,
    block: 60,
    examples: {
      yes: [
        '[  99.000001] wekafsgw: FE was down for 12 seconds',
        '[  99.000001] wekafsgw: FE 1 was down, reconnecting',
        '[  99.000001] wekafsio: frontend 3 not connected, waiting',
        '[  99.000001] wekafsio: connection to FE 2 timed out',
      ],
      no: [
        '[  21.770120] wekafsio: loading out-of-tree module taints kernel.',
        '[  99.000001] wekafsgw: FE is up',
        '[  99.000001]  wekafs_complete_io+0x91/0x140 [wekafsio]',
      ],
    },
  },
  {
    id: 'weka-up',
    clears: ['weka_client'],
    literals: ['wekafsio', 'wekafsgw', 'wekafs:'],
    from: 'kernel',
    match:
      /^wekafs(?:io|gw)?\b.{0,80}\b(?:FEs? (?:is|are) (?:back )?up|FE up|frontend \d{0,4} ?(?:is )?(?:back )?up|reconnected|connected again|connection (?:to .{1,40} )?restored)\b/i,
    examples: {
      yes: ['[  99.000001] wekafsgw: FE is up', '[  99.000001] wekafsio: frontend 3 reconnected'],
      no: ['[  99.000001] wekafsgw: FE was down for 12 seconds'],
    },
  },
  {
    id: 'dvs',
    kind: 'dvs',
    literals: ['] DVS: ', '>DVS: '],
    from: 'kernel',
    match:
      /^DVS: (?<text>(?:[\w.-]{1,60}[: ] ?)?.{0,80}(?:[Nn]o valid nodes|marking (?:it|node \S{1,40}|\S{1,40}) down|server .{1,40} (?:is )?(?:down|failed|not responding)|mount .{0,60}failed|timed out).{0,80})/,
    block: 60,
    examples: {
      yes: [
        '[  99.000001] DVS: usi_sendmessage: No valid nodes in the list',
        '[  99.000001] DVS: verify_filesystem: server x1000c0s0b0n0 is not responding, marking it down',
      ],
      no: [
        '[  14.000001] DVS: Revision: kbuild Built: Nov 28 2026',
        '[  14.000001] DVS: node map generated.',
        'dracut-initqueue[420]: 2021/03/19 01:31:22 WARN: readyForMount=false type=dvs ready=0 total=2',
      ],
    },
  },
];
