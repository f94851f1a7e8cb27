import { it } from 'vitest';
import { verifyAnyAnswers } from '../harness/any-answers.ts';

it('10,000 random answers leave the view as it is, within a minute', () => verifyAnyAnswers(10_000), 60_000);
