/** What holds for all tests of a process. */
import process from 'node:process';
import fc from 'fast-check';
import { rounds } from './effort.ts';

// One seed for all property tests, so that runs are reproducible. IAM_TEST_SEED sets another one; the stress suites
// choose their own. A property with another number of runs says so itself.
fc.configureGlobal({ seed: Number(process.env.IAM_TEST_SEED ?? 20_261_121), numRuns: rounds(200) });

// Node 20 reads these certificates at each start, which takes up to 0.1 s of each process that a test starts.
delete process.env.NODE_EXTRA_CA_CERTS;
