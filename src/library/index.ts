/**
 * The service for tests of other programs, in this process: `const iam = await startServer()`. Also everything of
 * `iam-standin/client`, so that one import is enough.
 */
export * from '../client/index.ts';
export type { IamClock, Moment } from './clock.ts';
export type { Inbox, InboxItem, InboxSearch, InboxWait } from './inbox.ts';
export type { RequestItem, RequestSearch, Requests, RequestWait } from './requests.ts';
export type { IamServer } from './server.ts';
export type { SignedIn, SignInOptions } from './sign-in.ts';
export { type ServerCredentials, type SettingValues, type StartOptions, startServer } from './start-server.ts';
