/** The admission webhooks: validation of our Kinds, and sidecars for pods that ask for one. */

export { type FailurePolicy, INJECTION, VALIDATING } from './configurations.ts';
export {
  type InjectionView,
  type SidecarOptions,
  selects,
  USER_RANGE_ANNOTATION,
} from './injection/index.ts';
export { keepRegistered, type RegistrationOptions } from './registration.ts';
export type { AdmissionServer, ReviewReport } from './server.ts';
export type { TranslatedWorld, ValidationView } from './validation/index.ts';
export { startWebhooks, type WebhooksOptions } from './webhooks.ts';
