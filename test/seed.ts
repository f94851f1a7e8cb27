import * as fc from 'fast-check';

// The gate judges a change, so its random inputs are the same each time. `TEST_SEED=random npm test` looks for new ones,
// `TEST_SEED=<number>` repeats what such a run has found.
const given = process.env['TEST_SEED'];
if (given !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: given === undefined ? 20_251 : Number(given) });
