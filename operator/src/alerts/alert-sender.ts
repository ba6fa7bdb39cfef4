/** Sends alerts to the webhooks of the organisation: signed, retried, bounded. */
import type { Dispatcher } from 'undici';
import { type Clock, createBackoff, type Log, sleep, startDeadline, systemClock } from '../runtime/index.ts';
import type { BudgetAlert } from '../usage/index.ts';
import { createGuardedAgent, type Guard } from './guarded-agent.ts';
import { type AlertMessage, signedHeaders, toMessage } from './message.ts';

export interface AlertWebhook {
  readonly name: string;
  readonly url: string;
  /** Signs the messages; undefined: it cannot be read yet. */
  readonly key: string | undefined;
}

export const ALERT_OUTCOMES = ['sent', 'failed', 'dropped'] as const;
export type AlertOutcome = (typeof ALERT_OUTCOMES)[number];

export interface AlertSenderOptions {
  /** The webhooks as they are now. */
  readonly webhooks: () => readonly AlertWebhook[];
  readonly guard: Guard;
  /** Every webhook has the alert, or was given up. */
  readonly onSettled: (alert: BudgetAlert) => void;
  /** Once per alert and webhook. */
  readonly onOutcome?: (outcome: AlertOutcome) => void;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface AlertSender {
  /** Queues an alert; without webhooks it does nothing. */
  send(alert: BudgetAlert): void;
  /** Sends until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Alerts that wait; beyond them the oldest is dropped. */
const MAX_QUEUED = 1_000;
/** Alerts under way at once. */
const MAX_AT_ONCE = 16;
const TIMEOUT_MS = 10_000;
/** Ten attempts take a quarter of an hour. */
const ATTEMPTS = 10;
const BACKOFF = { minMs: 1_000, maxMs: 300_000 };
const MAX_ANSWER_BYTES = 16 * 1024;

export function createAlertSender(options: AlertSenderOptions): AlertSender {
  const { webhooks, log, onOutcome = () => {} } = options;
  const queue: BudgetAlert[] = [];
  let wake = Promise.withResolvers<void>();

  const work = async (dispatcher: Dispatcher, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const alert = queue.shift();
      if (alert === undefined) await wake.promise;
      else await deliver(alert, { ...options, dispatcher, signal });
    }
  };
  return {
    send: (alert) => {
      if (webhooks().length === 0) return;
      queue.push(alert);
      if (queue.length > MAX_QUEUED) {
        queue.shift();
        onOutcome('dropped');
        log.warn({}, 'An alert was dropped: too many wait for the webhooks');
      }
      wake.resolve();
      wake = Promise.withResolvers();
    },
    run: async (signal) => {
      const dispatcher = createGuardedAgent(options.guard, TIMEOUT_MS);
      const end = (): void => wake.resolve();
      signal.addEventListener('abort', end, { once: true });
      await Promise.all(Array.from({ length: MAX_AT_ONCE }, () => work(dispatcher, signal)));
      await dispatcher.destroy();
    },
  };
}

interface Delivery extends AlertSenderOptions {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

async function deliver(alert: BudgetAlert, delivery: Delivery): Promise<void> {
  const message = toMessage(alert);
  const names = delivery.webhooks().map(({ name }) => name);
  await Promise.all(names.map((name) => deliverTo(name, message, delivery)));
  if (!delivery.signal.aborted) delivery.onSettled(alert);
}

/** Tries until the webhook takes the message; one that was removed meanwhile is done with. */
async function deliverTo(name: string, message: AlertMessage, delivery: Delivery): Promise<void> {
  const { webhooks, signal, log, clock = systemClock, random = Math.random, onOutcome = () => {} } = delivery;
  const backoff = createBackoff(BACKOFF, random);
  let problem = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await sleep(backoff.next(), { signal, clock }).catch(() => undefined);
    const webhook = webhooks().find((one) => one.name === name);
    if (signal.aborted || webhook === undefined) return;
    const failure = await post(webhook, message, delivery).catch(reasonOf);
    if (failure === undefined) return onOutcome('sent');
    problem = failure;
    log.debug({ webhook: name, alert: message.id, problem }, 'Webhook did not take an alert');
  }
  onOutcome('failed');
  log.warn({ webhook: name, alert: message.id, problem }, 'Webhook took no alert and was given up');
}

/** Undefined: it was taken; else why not. */
async function post(webhook: AlertWebhook, message: AlertMessage, delivery: Delivery): Promise<string | undefined> {
  const { dispatcher, guard, signal, clock = systemClock } = delivery;
  const { url, key } = webhook;
  const refused = guard.problemOf(url);
  if (refused !== undefined) return refused;
  if (key === undefined || key === '') return 'the Secret with its key cannot be read';
  const { origin, pathname, search } = new URL(url);
  using deadline = startDeadline({ signal, timeoutMs: TIMEOUT_MS, onTimeout: () => new Error('it took too long') });
  const { statusCode, body } = await dispatcher.request({
    ...{ origin, path: `${pathname}${search}`, method: 'POST', body: message.body, signal: deadline.signal },
    headers: signedHeaders(message, key, clock.wallMs()),
  });
  await body.dump({ limit: MAX_ANSWER_BYTES });
  return statusCode >= 200 && statusCode < 300 ? undefined : `it answered ${statusCode}`;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
