/** The commands that begin and end a session. */
export { addLogin } from './login.ts';
export { addLogout } from './logout.ts';
