import type { Rule } from '../rule.ts';
import { bootRules } from './boot.ts';
import { bugRules } from './bugs.ts';
import { clientRules } from './clients.ts';
import { fabricRules } from './fabric.ts';
import { gpuRules } from './gpu.ts';
import { hardwareRules } from './hardware.ts';
import { kernelRules } from './kernel.ts';
import { serviceRules } from './services.ts';
import { storageRules } from './storage.ts';
import { textRules } from './text.ts';

/** Every rule; of those that speak to one message the first that makes an event wins. */
export const rules: readonly Rule[] = [
  ...kernelRules,
  ...bugRules,
  ...hardwareRules,
  ...fabricRules,
  ...storageRules,
  ...clientRules,
  ...gpuRules,
  ...bootRules,
  ...serviceRules,
  ...textRules,
];
