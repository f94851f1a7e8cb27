import type { Rule } from '../rule.ts';

/** What systemd says of units on the console, in its status lines and behind its own name. */
const UNIT = '(?<part>[^]{1,100}?)';
/** The name may be cut with an ellipsis, and newer releases write `name - Description`. */
const END = '(?:\\.|\\.\\.\\.|\\u2026)?$';

/** Units without which a node takes no jobs. */
const VITAL =
  /mount|network|nfs|lustre|lnet|weka|pbs|slurm|munge|cxi|sssd|rpcbind|nvidia|\/(?:home|scratch|lus|opt|var)\b|local file systems|remote file systems/i;

const FAILED = [
  'ailed to start ',
  'ailed to mount ',
  'ependency failed for ',
  'ssertion failed for ',
  'imed out waiting for ',
  'imed out starting ',
];

export const serviceRules: readonly Rule[] = [
  {
    id: 'vital-unit-failed',
    kind: 'unit_failed',
    severity: 'warning',
    literals: FAILED,
    from: 'console',
    match: new RegExp(
      `^(?:\\[ {0,2}(?:FAILED|DEPEND|TIME|ASSERT) {0,2}\\] |systemd\\[1\\]: )(?:Failed to mount (?<part2>[^]{1,100}?)|(?:Failed to start|(?:Dependency|Assertion) failed for|Timed out (?:waiting for(?: device)?|starting)) (?=[^]*(?:${VITAL.source}))${UNIT})${END}`,
      'i',
    ),
    examples: {
      yes: [
        '[FAILED] Failed to mount /scratch.',
        '[\u001b[0;1;31mFAILED\u001b[0m] Failed to start \u001b[0;1;39mslurmd.service - Slurm node daemon\u001b[0m.',
        '[FAILED] Failed to start PBS Professional.'.replace('PBS Professional', 'pbs.service - PBS'),
        '[DEPEND] Dependency failed for Remote File Systems.',
        '[ TIME ] Timed out waiting for device /dev/disk/by-label/scratch mount.',
      ],
      no: [
        '[FAILED] Failed to start Postfix Mail Transport Agent.',
        '[FAILED] Failed unmounting /scratch.',
        '[  OK  ] Mounted /scratch.',
        'slurmd: Failed to start job',
      ],
    },
  },
  {
    id: 'unit-failed',
    kind: 'unit_failed',
    literals: FAILED,
    from: 'console',
    match: new RegExp(
      `^(?:\\[ {0,2}(?:FAILED|DEPEND|TIME|ASSERT) {0,2}\\] |systemd\\[1\\]: )(?:Failed to (?:start|mount)|(?:Dependency|Assertion) failed for|Timed out (?:waiting for(?: device)?|starting)) ${UNIT}${END}`,
    ),
    examples: {
      yes: [
        '[FAILED] Failed to start Postfix Mail Transport Agent.',
        '[\u001b[0;1;31mFAILED\u001b[0m] Failed to start \u001b[0;1;39mpostfix.service - Postfix\u001b[0m.',
        '[   41.000001] systemd[1]: Failed to start Postfix Mail Transport Agent.',
        '[ASSERT] Assertion failed for Postfix Mail Transport Agent.',
      ],
      no: ['Condition check resulted in Postfix being skipped.', '[FAILED] Failed unmounting /oldroot.', 'app: Failed to start x.'],
    },
  },
  {
    // systemd's own lines say the same of every session and timer: only its status lines are looked for.
    id: 'unit-started',
    clears: ['unit_failed'],
    literals: ['[  OK  ]'],
    from: 'console',
    match: new RegExp(`^\\[ {0,2}OK {0,2}\\] (?:Started|Mounted|Finished|Reached target) ${UNIT}${END}`),
    examples: {
      yes: [
        '[  OK  ] Started Postfix Mail Transport Agent.',
        '[\u001b[0;32m  OK  \u001b[0m] Mounted \u001b[0;1;39m/scratch\u001b[0m.',
        '[  OK  ] Finished Postfix Mail Transport Agent.',
      ],
      no: ['Started Postfix', '[FAILED] Failed to start Postfix Mail Transport Agent.'],
    },
  },
];
