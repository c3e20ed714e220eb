/** For node:test: `node node-test.cjs import|require before|between|after`. It says when timers are faked. */
const { mock, test } = require('node:test');
const { callEverything } = require('./calls.cjs');

const [, , kind, when] = process.argv;
const fakeAt = (moment) => when === moment && mock.timers.enable();

test(`${kind}, fake timers ${when}`, async () => {
  fakeAt('before');
  const library = kind === 'import' ? await import('iam-standin') : require('iam-standin');
  fakeAt('between');
  await callEverything(library, () => fakeAt('after'));
});
