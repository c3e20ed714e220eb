/**
 * Runs the service in the process of a test: `const iam = await startServer()`. Also exports everything of
 * `iam-standin/client`, so one import is enough.
 */
export * from '../client/index.ts';
export { SettingError } from '../server/config/setting-error.ts';
export { SeedError } from '../server/seed/error.ts';
export type { BrowserCookie, BrowserLogin, BrowserLoginOptions, BrowserPage, Browsers } from './browser.ts';
export type { DateInput, IamClock } from './clock.ts';
export { WaitError } from './deadline.ts';
export type { Faults } from './faults.ts';
export { IamError } from './iam-error.ts';
export type { IamServer } from './iam-server.ts';
export type { Inbox, InboxFilter, InboxWaitOptions } from './inbox.ts';
export type { IamInstance } from './instance.ts';
export type {
  FaultOptions,
  FaultRecord,
  InboxMessage,
  RequestDetails,
  RequestRecord,
  SeedInput,
  SeedSummary,
  SettingValues,
  TestTokenOptions,
} from './library-types.ts';
export type { RequestFilter, RequestListOptions, Requests, RequestWaitOptions } from './requests.ts';
export type { IamSandbox, IamSandboxes, SandboxOptions, SandboxRecord } from './sandboxes.ts';
export type { ServerCredentials } from './server-credentials.ts';
export type { SignInOptions, SignInResult } from './sign-in.ts';
export { type StartOptions, startServer } from './start-server.ts';
export type { TestScope } from './test-scope.ts';
export type { IssuedTestToken, Tokens } from './tokens.ts';
