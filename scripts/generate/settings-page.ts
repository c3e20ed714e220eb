/** docs/settings.md: every setting of the server. */
import { type Setting, settingsTable } from '../../src/server/settings.ts';
import { code, page, table } from './markdown.ts';

/** The page; the table of settings is all it depends on. */
export function settingsPage(): string {
  const settings: readonly Setting[] = Object.values(settingsTable);
  return page(
    'Settings',
    'A flag of `iam serve` (and of `npm start -- ...`) counts before the environment, the environment before the default. ' +
      'A value that does not fit stops the start with one line that names it. Secrets come from the environment only.',
    table(['Flag', 'Environment', 'Takes', 'Default', 'Meaning'], settings.map(row)),
  );
}

function row(setting: Setting): string[] {
  const flag = setting.flag ? code(`--${setting.name}`) : '';
  return [flag, code(setting.environment), valuesOf(setting), defaultOf(setting), `${setting.description}.`];
}

function valuesOf(setting: Setting): string {
  if (setting.kind === 'integer') return `${setting.least} to ${setting.most}`;
  if (setting.kind === 'text' && setting.values) return setting.values.map(code).join(', ');
  return { text: 'text', boolean: 'true or false', list: 'a list with commas' }[setting.kind];
}

function defaultOf(setting: Setting): string {
  const { default: value } = setting;
  return value === undefined || Array.isArray(value) ? '' : code(String(value));
}
