/** What the forms of a login have in common. */
import type { LoginResult } from '../../api/credentials.ts';

export interface LoginFormProps {
  onLogin(token: LoginResult): void;
}
