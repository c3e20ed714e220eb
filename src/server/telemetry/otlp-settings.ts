/** Settings of the OTLP exporter: environment variables of the OpenTelemetry specification, not settings of this service. */
import { SettingError } from '../config/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface OtlpSettings {
  /** Undefined if the signal is not exported. */
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The attributes of the resource, with `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerSettings;
  /** Milliseconds between two exports. */
  readonly spanInterval: number;
  readonly metricInterval: number;
}

export interface SamplerSettings {
  /** Whether a request with a parent is sampled if the parent is. */
  readonly followsParent: boolean;
  /** Share of the other traces, from 0 to 1. */
  readonly ratio: number;
}

const defaultServiceName = 'iam-standin';
type Signal = 'TRACES' | 'METRICS';

/** Returns undefined if no endpoint is set, or if the SDK is disabled. @throws SettingError for a value that is not valid. */
export function readOtlpSettings(environment: Environment): OtlpSettings | undefined {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const tracesUrl = readEndpoint(environment, 'TRACES');
  const metricsUrl = readEndpoint(environment, 'METRICS');
  if (tracesUrl === undefined && metricsUrl === undefined) return undefined;
  if (tracesUrl !== undefined) assertOverHttp(environment, 'TRACES');
  if (metricsUrl !== undefined) assertOverHttp(environment, 'METRICS');
  const attributes = readPairs(environment, 'OTEL_RESOURCE_ATTRIBUTES');
  return {
    tracesUrl,
    metricsUrl,
    headers: readPairs(environment, 'OTEL_EXPORTER_OTLP_HEADERS'),
    resource: {
      'service.name': defaultServiceName,
      ...attributes,
      ...(environment.OTEL_SERVICE_NAME ? { 'service.name': environment.OTEL_SERVICE_NAME } : {}),
    },
    sampler: readSampler(environment),
    spanInterval: readMilliseconds(environment, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    metricInterval: readMilliseconds(environment, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000),
  };
}

/** Receivers of OTLP over HTTP accept JSON wherever they accept Protobuf, the default of the specification. */
function assertOverHttp(environment: Environment, signal: Signal): void {
  const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
  const name = environment[own] ? own : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = environment[name] || 'http/json';
  if (protocol !== 'http/json' && protocol !== 'http/protobuf')
    throw new SettingError(`${name} must be http/json or http/protobuf; the port of OTLP over HTTP is usually 4318`);
}

const maxMilliseconds = 86_400_000;

function readMilliseconds(environment: Environment, name: string, fallback: number): number {
  const text = environment[name];
  if (!text) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= maxMilliseconds) return value;
  throw new SettingError(`${name} must be a number of milliseconds from 1 to ${maxMilliseconds}`);
}

/** The variable of the signal is the whole URL; the common one is a base URL. */
function readEndpoint(environment: Environment, signal: Signal): string | undefined {
  if (environment[`OTEL_${signal}_EXPORTER`] === 'none') return undefined;
  const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  if (environment[own]) return parseUrl(own, environment[own]);
  const common = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!common) return undefined;
  return `${parseUrl('OTEL_EXPORTER_OTLP_ENDPOINT', common).replace(/\/+$/, '')}/v1/${signal.toLowerCase()}`;
}

/** The message omits the value, which can contain a password. */
function parseUrl(name: string, value: string): string {
  if (!URL.canParse(value) || !/^https?:/i.test(value)) throw new SettingError(`${name} must be an http or https URL`);
  return value;
}

/** Reads `key=value,key=value` with percent-encoded values. The message omits the value, which can be a credential. */
function readPairs(environment: Environment, name: string): Record<string, string> {
  const pairs = (environment[name] ?? '').split(',').filter((pair) => pair.trim() !== '');
  const entries = pairs.map((pair) => {
    const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const decoded = decode(value);
    if (key === '' || decoded === undefined)
      throw new SettingError(`${name} must be a list such as key=value,key=value`);
    return [key, decoded];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function readSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Environment): SamplerSettings {
  const [, parent, base] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(
    name || 'parentbased_always_on',
  ) ?? [undefined, undefined, undefined];
  if (base === undefined)
    throw new SettingError(
      'OTEL_TRACES_SAMPLER must be always_on, always_off, traceidratio, or one of these after parentbased_',
    );
  const followsParent = parent !== undefined;
  if (base !== 'traceidratio') return { followsParent, ratio: base === 'always_on' ? 1 : 0 };
  const share = ratio ? Number(ratio) : 1;
  if (!(share >= 0 && share <= 1)) throw new SettingError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  return { followsParent, ratio: share };
}
