/** Alerts about budgets for the webhooks of the organisation: docs/guide/spending.md. */
export {
  ALERT_OUTCOMES,
  type AlertOutcome,
  type AlertSender,
  type AlertWebhook,
  createAlertSender,
} from './alert-sender.ts';
export { createGuard } from './guarded-agent.ts';
export { type AlertWebhooks, alertWebhooks } from './webhooks.ts';
