/** For jest: its default fake timers, or those that its configuration enables globally, in each environment. */
const { callEverything } = require('./calls.cjs');

exports.testLibrary = (when) => {
  const fakeAt = (moment) => when === moment && jest.useFakeTimers();
  test(`require, fake timers ${when}`, async () => {
    fakeAt('before');
    const library = require('iam-standin');
    fakeAt('between');
    await callEverything(library, () => fakeAt('after'));
  }, 60_000);
};
