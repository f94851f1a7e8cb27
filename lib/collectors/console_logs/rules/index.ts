import type { Rule } from '../rule.ts';
import { bootRules } from './boot.ts';
import { fabricRules } from './fabric.ts';
import { gpuRules } from './gpu.ts';
import { kernelRules } from './kernel.ts';
import { storageRules } from './storage.ts';

/** Every rule; of those that speak to one message the first wins. */
export const rules: readonly Rule[] = [...kernelRules, ...bootRules, ...fabricRules, ...storageRules, ...gpuRules];
