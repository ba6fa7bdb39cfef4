/** What budgets have used: from the pods of fleets to statuses, events and webhooks; on the leader only. */

import { alertWebhooks, createAlertSender, createGuard } from '../alerts/index.ts';
import type { OperatorOptions } from '../config/index.ts';
import type { EventRecorder, Log } from '../runtime/index.ts';
import { createUsageTracker, type UsageTracker } from '../usage/index.ts';
import type { OperatorMetrics } from './metrics.ts';
import { type Stores, storeOf } from './stores.ts';

export interface UsageTasksOptions {
  readonly options: Pick<OperatorOptions, 'organisationNamespace' | 'fleetNamespaces'>;
  readonly stores: Stores;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: Pick<OperatorMetrics, 'onAlert' | 'observeExhausted'>;
  /** The status of an object, as `Kind/namespace/name`, has to be written. */
  readonly mark: (verdictKey: string) => void;
  readonly log: Log;
}

export interface UsageTasks {
  readonly tracker: UsageTracker;
  /** Works until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** The only name of an Organisation. */
const ORGANISATION = 'default';

export function createUsageTasks({ options, stores, events, metrics, mark, log }: UsageTasksOptions): UsageTasks {
  const { organisationNamespace, fleetNamespaces } = options;
  const organisations = storeOf(stores, 'Organisation');
  const organisation = () => organisations.get(ORGANISATION);
  const webhooks = alertWebhooks({ organisation, secrets: stores.secrets, organisationNamespace });
  const alerts = createAlertSender({
    webhooks: webhooks.list,
    guard: createGuard([organisationNamespace, ...fleetNamespaces]),
    onSettled: (alert) => tracker.settle(alert),
    onOutcome: metrics.onAlert,
    log,
  });
  const tracker: UsageTracker = createUsageTracker({
    objects: {
      organisationNamespace,
      live: (kind, key) => stores.kinds.get(kind)?.get(key),
      all: (kind) => stores.kinds.get(kind)?.objects.values() ?? [],
    },
    events,
    onChange: mark,
    onAlert: alerts.send,
  });
  metrics.observeExhausted(() => tracker.exhausted);
  for (const [kind, store] of stores.kinds) {
    store.subscribe(({ key, object }) => {
      if (object === undefined) tracker.forget(`${kind}/${key}`);
    });
  }
  organisations.subscribe(webhooks.update);
  return {
    tracker,
    run: async (signal) => {
      webhooks.update();
      await Promise.all([alerts.run(signal), tracker.run(signal)]);
    },
  };
}
