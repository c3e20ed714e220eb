/**
 * Sets one seed for all property tests, so that runs are reproducible. IAM_TEST_SEED sets another one; the stress suites
 * choose their own.
 */
import process from 'node:process';
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.IAM_TEST_SEED ?? 20_261_121) });
