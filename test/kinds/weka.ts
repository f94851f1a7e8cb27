import { rebuild, status } from '../collectors/weka-inputs.ts';
import { DAY, look, MINUTE, NOON, type Shown, type Story } from './story.ts';

const at = (ms: number): string => new Date(ms).toISOString();
/** A cluster with everything that can be wrong at once: nothing hides behind anything else. */
export const wekaStories: Story[] = [
  {
    ...look(
      'weka_state',
      {
        'status.json': status({
          status: 'REBUILDING',
          io_status: 'STOPPED',
          time: { cluster_time: at(NOON + 20 * MINUTE), allowed_clock_skew_secs: 60 },
          drives: { active: 5, total: 6 },
          rebuild: rebuild({ 1: 2.5, 2: 0.5 }, { unavailablePercent: 1.5, unavailableMiB: 4096, numActiveFDs: 2, enoughActiveFDs: false }),
          buckets_info: { averageFillLevelPPM: 900_000 },
          capacity: { total_bytes: 1e14, hot_spare_bytes: 0, unprovisioned_bytes: 0 },
          licensing: { mode: 'Classic', error: '', limits: { usable_capacity_gb: 1e5, expires_at: at(NOON + 20 * DAY) } },
        }),
        'drives.json': [
          {
            disk_id: 'DiskId<17>',
            hostname: 'weka05',
            status: 'FAILED',
            should_be_active: true,
            size_bytes: 7681501126656,
            serial_number: 'S5XYNE0R400017',
            percentage_used: 9,
          },
          {
            disk_id: 'DiskId<18>',
            hostname: 'weka05',
            status: 'ACTIVE',
            should_be_active: true,
            size_bytes: 7681501126656,
            serial_number: 'S5XYNE0R400018',
            percentage_used: 97,
          },
        ],
        'containers.json': [
          {
            host_id: 'HostId<6>',
            hostname: 'weka07',
            container_name: 'drives0',
            status: 'DOWN',
            state: 'ACTIVE',
            mode: 'backend',
            failure_domain: 'DOM-006',
          },
        ],
        'processes.json': [
          { node_id: 'NodeId<61>', host_id: 'HostId<6>', hostname: 'weka07', status: 'DOWN', is_blacklisted: true, roles: ['COMPUTE'] },
        ],
        'fs.json': [
          {
            fs_id: 'FSId<1>',
            name: 'scratch',
            status: 'READY',
            available_total: 5e13,
            used_total: 4.6e13,
            available_ssd: 5e13,
            used_ssd: 4.6e13,
            obs_buckets: [],
          },
        ],
        'obs.json': [
          {
            id: 'ObsBucketId<0>',
            name: 'archive-s3',
            obs_name: 'demo-s3',
            obs_type: 'OTHER',
            protocol: 'HTTPS',
            bucket: 'weka-archive',
            status: 'DOWN',
            up_count: 0,
            down_count: 32,
          },
        ],
        'alerts.json': [
          {
            type: 'NetworkInterfaceLinkDown',
            title: 'Network interface link is down',
            severity: 'MINOR',
            count: 1,
            muted: false,
            description: 'Network interface hsn1 on host weka03 has no link',
            params: { hostname: 'weka03' },
          },
        ],
      },
      ...(
        [
          ['storage_stopped', 'critical'],
          ['storage_unavailable', 'critical'],
          ['storage_at_risk', 'critical'],
          ['storage_degraded', 'warning'],
          ['rebuild_stalled', 'warning'],
          ['capacity_high', 'warning'],
          ['hot_spare_exhausted', 'warning'],
          ['licence_expiring', 'warning'],
          ['clock_skew', 'warning'],
        ] as const
      ).map(([kind, severity]): Shown => ({ kind, severity, subject: 'cluster test' })),
      { kind: 'drive_failed', severity: 'warning', subject: 'drive DiskId<17>' },
      { kind: 'drive_wear', severity: 'warning', subject: 'drive DiskId<18>' },
      { kind: 'container_down', severity: 'warning', subject: 'container weka07/drives0' },
      { kind: 'process_blacklisted', severity: 'warning', subject: 'process NodeId<61>' },
      { kind: 'fs_full', severity: 'warning', subject: 'filesystem scratch' },
      { kind: 'object_store_down', severity: 'warning', subject: 'object_store archive-s3' },
      { kind: 'storage_alert', severity: 'warning', subject: 'alert NetworkInterfaceLinkDown' },
    ),
  },
];
