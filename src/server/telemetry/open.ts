/** Opens the exporter of the process: the requests go through undici. */
import { Agent, request } from 'undici';
import type { SendPost } from './delivery.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import { createTelemetry, type Telemetry, type TelemetryDeps } from './telemetry.ts';

const maxResponseBytes = 65_536;

/** Starts the exporter with a connection pool of its own. */
export function openTelemetry(settings: OtlpSettings, deps: Omit<TelemetryDeps, 'send'>): Telemetry {
  const agent = new Agent({ connections: 2, maxResponseSize: maxResponseBytes });
  const send: SendPost = async ({ url, body, signal }) => {
    const headers = { ...settings.headers, 'content-type': 'application/json' };
    const response = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal });
    await response.body.dump();
    return response.statusCode;
  };
  const telemetry = createTelemetry(settings, { ...deps, send });
  return {
    ...telemetry,
    async close() {
      await telemetry.close();
      await agent.destroy();
    },
  };
}
