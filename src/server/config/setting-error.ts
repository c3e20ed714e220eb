import { StandinError } from '../../contract/standin-error.ts';

/** An invalid setting, with a message for the user. */
export class SettingError extends StandinError {
  override readonly name = 'SettingError';
  readonly code = 'SETTING_INVALID';
}
