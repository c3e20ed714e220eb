/**
 * One seed for all properties, so that a run finds what the run before it found. IAM_TEST_SEED tries another; the
 * stress suites draw theirs.
 */
import process from 'node:process';
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.IAM_TEST_SEED ?? 20_261_121) });
