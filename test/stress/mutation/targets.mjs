/** The files to mutate and the tests that must detect the mutants: a selection, so that a run takes minutes. */

const store = 'src/server/store/file';
const storeTests = 'test/server/store/file';
const directory = 'src/server/directory';
const directoryTests = 'test/server/directory';
const mfa = 'src/server/mfa';
const mfaTests = 'test/server/mfa';
const tokens = 'src/server/tokens';
const tokenTests = 'test/server/tokens';

/** By name: files to mutate, tests to run, and excluded mutations. */
export const parts = {
  'wal-reader': {
    mutate: ['wal-record', 'wal-segment', 'recovery'].map((name) => `${store}/${name}.ts`),
    tests: [
      ...['wal-damage', 'wal-segments', 'checkpoint-damage', 'open-files'].map(
        (name) => `${storeTests}/${name}.test.ts`,
      ),
      'test/server/store/maintenance/repair.test.ts',
    ],
    excludedMutations: ['StringLiteral'],
  },
  'wal-writer': {
    mutate: ['wal', 'checkpoint-adapter', 'checkpoint-format', 'checkpointer'].map((name) => `${store}/${name}.ts`),
    tests: [
      ...['checkpoint', 'checkpoint-damage', 'checkpoint-format', 'checkpoint-schedule', 'crash', 'disk-failure'],
      ...['wal-append', 'open-files'],
    ].map((name) => `${storeTests}/${name}.test.ts`),
    excludedMutations: ['StringLiteral'],
  },
  'role-expressions': {
    mutate: ['src/contract/roles.ts'],
    tests: ['test/contract/roles.test.ts'],
    excludedMutations: [],
  },
  'group-roles': {
    mutate: [`${directory}/group-roles.ts`, `${directory}/role-provenance.ts`],
    tests: [`${directoryTests}/group-roles.test.ts`, `${directoryTests}/role-provenance.test.ts`],
    excludedMutations: [],
  },
  'token-verification': {
    mutate: ['verify', 'claims', 'explain'].map((name) => `${tokens}/${name}.ts`),
    tests: ['claims', 'header', 'lifetime', 'explain', 'signature'].map((name) => `${tokenTests}/${name}.test.ts`),
    excludedMutations: ['StringLiteral'],
  },
  'token-issue': {
    mutate: ['issue', 'keys'].map((name) => `${tokens}/${name}.ts`),
    tests: [
      ...['issue', 'keys', 'key-ring'].map((name) => `${tokenTests}/${name}.test.ts`),
      'test/server/control/routes/keys/rotate.test.ts',
    ],
    excludedMutations: ['StringLiteral'],
  },
  otp: {
    mutate: ['otp', 'otp-attempts', 'otp-replacement', 'otp-rate-limit', 'otp-value', 'source-events'].map(
      (name) => `${mfa}/${name}.ts`,
    ),
    tests: ['otp', 'otp-send', 'otp-sources'].map((name) => `${mfaTests}/${name}.test.ts`),
    excludedMutations: [],
  },
};

/** Returns the part that `MUTATION_PART` selects. @throws Error when the variable names no part. */
export function chosenPart() {
  const name = process.env.MUTATION_PART ?? '';
  const part = parts[name];
  if (part === undefined) throw new Error(`MUTATION_PART must be one of ${Object.keys(parts).join(', ')}.`);
  return { name, ...part };
}
