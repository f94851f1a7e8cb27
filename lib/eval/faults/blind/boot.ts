import type { Fault } from '../../effects.ts';
import { COMPUTE, FORMER } from '../../images.ts';
import { ill, liquid, perhaps, said } from './laying.ts';

const ASKED = ['systemd-shutdown[1]: Sending SIGTERM to remaining processes...', 'reboot: Restarting system'];

export const noBootServer = said({
  kind: 'no_boot_server',
  class: 'image',
  title: 'a node is rebooted and finds nobody to boot from',
  trouble: { loss: 'dead', ends: 'reset' },
  severity: 'warning',
  words: ({ where, from }) => [
    { node: where, at: from, lines: ASKED },
    ...[0, 1, 2, 3].map((round) => ({
      node: where,
      at: from + 90_000 + round * 120_000,
      clock: 'own' as const,
      lines: [
        '>>Start PXE over IPv4 on MAC: 00:40:a6:83:00:19.',
        '  PXE-E18: Server response timeout.',
        '>>Start PXE over IPv6 on MAC: 00:40:a6:83:00:19.',
        '  PXE-E16: No valid offer received.',
      ],
    })),
  ],
});

export const rootMissing = said({
  kind: 'root_missing',
  class: 'image',
  title: 'a node is rebooted and cannot mount its root',
  trouble: { loss: 'dead', ends: 'reset' },
  words: ({ where, from }) => [
    { node: where, at: from, lines: ASKED },
    {
      node: where,
      at: from + 60_000,
      clock: 'own' as const,
      lines: [
        `[    0.000000] Linux version ${COMPUTE.kernel} (geeko@buildhost) (gcc (SUSE Linux) 7.5.0, GNU ld 2.39) #1 SMP PREEMPT_DYNAMIC`,
        '[    3.114201] VFS: Cannot open root device "nfs" or unknown-block(0,255): error -6',
        '[    3.114950] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,255)',
        '[    3.115410] ---[ end Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,255) ]---',
      ],
    },
  ],
});

export const mountFailed = said({
  kind: 'mount_failed',
  class: 'storage',
  title: 'a node comes up without its scratch file system',
  severity: 'warning',
  trouble: { begins: 'reboot', ends: 'reboot' },
  words: ({ where, from }) => [
    {
      node: where,
      at: from + 120_000,
      clock: 'own' as const,
      lines: [
        '[\u001b[0;1;31mFAILED\u001b[0m] Failed to mount \u001b[0;1;39m/scratch\u001b[0m.',
        "See 'systemctl status scratch.mount' for details.",
        '[\u001b[0;1;38;5;185mDEPEND\u001b[0m] Dependency failed for \u001b[0;1;39mPBS execution daemon\u001b[0m.',
      ],
    },
  ],
});

export const unlisted: Fault = {
  kind: 'unlisted',
  author: 'blind',
  class: 'image',
  title: 'a node is deleted from the inventory by mistake, and runs on',
  where: 'a node',
  places: liquid,
  effects: ({ where }) => ({ nodes: new Map([[where, { unlisted: true }]]), shows: [ill('node', where)] }),
};

export const wrongImage: Fault = {
  kind: 'wrong_image',
  author: 'blind',
  class: 'image',
  title: 'somebody assigns the former image to a node: it gets it at its next boot',
  where: 'a node',
  places: liquid,
  effects: ({ where }) => ({
    nodes: new Map([[where, { assigned: { image: FORMER.name, kernel: FORMER.kernel } }]]),
    shows: [ill('node', where), perhaps('image', FORMER.name)],
  }),
};

export const imageGone: Fault = {
  kind: 'image_gone',
  author: 'blind',
  class: 'image',
  title: 'a node is assigned an image that does not exist',
  where: 'a node',
  places: liquid,
  effects: ({ where }) => ({
    nodes: new Map([[where, { assigned: { image: 'cos-2027.01-test', kernel: COMPUTE.kernel } }]]),
    shows: [ill('node', where), perhaps('image', 'cos-2027.01-test')],
  }),
};
