/** The four integrations with external systems, each with an embedded default and an adapter for a real system. */
import type { AdjustableClock } from '../adjustable-clock.ts';
import type { Passwords } from '../identity/passwords.ts';
import type { StoreSecret } from '../identity/store-secret.ts';
import type { Ids } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store/store.ts';
import { createEmbeddedMainframe, type Mainframe } from './mainframe.ts';
import { createHttpMainframe } from './mainframe-http.ts';
import { createOutbox, type MessageOutbox } from './outbox.ts';
import { createEmbeddedProductSystem, type ProductSystem } from './product-system.ts';
import { createHttpProductSystem } from './product-system-http.ts';
import { createProviders, type Providers } from './providers.ts';
import type { Timer } from './timer.ts';

export interface Integrations {
  readonly outbox: MessageOutbox;
  readonly mainframe: Mainframe;
  readonly productSystem: ProductSystem;
  readonly providers: Providers;
}

/** Dependencies of the integrations. */
export interface IntegrationDeps {
  readonly store: Store;
  readonly storeSecret: StoreSecret;
  readonly clock: AdjustableClock;
  readonly random: Random;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly ids: Ids;
  readonly timer: Timer;
  readonly log: Log;
}

export function createIntegrations(deps: IntegrationDeps): Integrations {
  return {
    outbox: createOutbox(deps),
    mainframe: createMainframe(deps),
    productSystem: createProductSystem(deps),
    providers: createProviders(deps),
  };
}

/** The embedded mainframe, unless the settings contain the URL of a real one. */
export function createMainframe(deps: Pick<IntegrationDeps, 'settings' | 'store' | 'passwords' | 'log'>): Mainframe {
  const { mainframeUrl } = deps.settings;
  return mainframeUrl === undefined ? createEmbeddedMainframe(deps) : createHttpMainframe(mainframeUrl, deps);
}

/** The embedded product system, unless the settings contain the URL of a real one. */
export function createProductSystem(deps: Pick<IntegrationDeps, 'settings' | 'store' | 'log'>): ProductSystem {
  const { productsUrl } = deps.settings;
  return productsUrl === undefined ? createEmbeddedProductSystem(deps) : createHttpProductSystem(productsUrl, deps);
}
