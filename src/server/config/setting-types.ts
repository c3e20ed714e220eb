/** The types of settings, and helpers to declare them. */

interface SettingBase {
  /** The flag is `--name`. */
  readonly name: string;
  readonly environment: string;
  readonly description: string;
  /** False if it can only be set in the environment (secrets must not be on a command line). */
  readonly flag: boolean;
}

export type Setting = SettingBase &
  (
    | {
        readonly kind: 'text';
        readonly default?: string;
        readonly values?: readonly string[];
        check?(value: string): string | undefined;
        /** It may contain a password, so messages never repeat it. */
        readonly isSensitive?: boolean;
      }
    | { readonly kind: 'integer'; readonly default: number | undefined; readonly least: number; readonly most: number }
    | { readonly kind: 'boolean'; readonly default: boolean }
    | {
        readonly kind: 'list';
        readonly default: readonly string[];
        check?(item: string): string | undefined;
      }
  );

export function toEnvironmentName(name: string): string {
  return `IAM_SERVE_${name.toUpperCase().replaceAll('-', '_')}`;
}

function flagSetting<Kind extends Setting['kind'], More extends object>(
  kind: Kind,
  name: string,
  description: string,
  more: More,
) {
  return { kind, name, environment: toEnvironmentName(name), description, flag: true, ...more };
}

/** The type of the value is that of `values`, or any string. It is not undefined if there is a default. */
export function textSetting<const Value extends string = string, const Default extends Value = never>(
  name: string,
  description: string,
  more: {
    default?: Default;
    values?: readonly Value[];
    check?(value: string): string | undefined;
    isSensitive?: boolean;
  } = {},
) {
  return flagSetting('text', name, description, more);
}

/** Without a fallback, the value is undefined if it is not set. */
export function integerSetting<Fallback extends number | undefined>(
  name: string,
  fallback: Fallback,
  [least, most]: readonly [number, number],
  description: string,
) {
  return flagSetting('integer', name, description, { default: fallback, least, most });
}

export function booleanSetting(name: string, description: string) {
  return flagSetting('boolean', name, description, { default: false });
}

/** Items separated by commas; none by default. */
export function listSetting(name: string, description: string, check: (item: string) => string | undefined) {
  return flagSetting('list', name, description, { default: [] as readonly string[], check });
}

/** A setting from the environment only. The message of `check` must not contain the value. */
export function secretSetting(environment: string, description: string, check?: (value: string) => string | undefined) {
  return {
    kind: 'text' as const,
    name: environment.toLowerCase().replaceAll('_', '-'),
    environment,
    description,
    flag: false,
    ...(check ? { check } : {}),
  };
}
