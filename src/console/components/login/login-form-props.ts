/** What the forms of a login have in common. */
import type { AdministratorToken } from '../../api/credentials.ts';

export interface LoginFormProps {
  onLogin(token: AdministratorToken): void;
}
