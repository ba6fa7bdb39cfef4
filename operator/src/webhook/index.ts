/** What the operator answers the API server: admission of our Kinds, and sidecars for pods that ask for one. */
export {
  CERTIFICATE_SECRET,
  type Certificates,
  type CertificatesOptions,
  type Lifetimes,
  type ServingCertificate,
  startCertificates,
} from './certificates/index.ts';
export { type FailurePolicy, INJECTION, VALIDATING } from './configurations.ts';
export {
  CA_MEMBER,
  INJECTED_ANNOTATION,
  INJECTION_LABEL,
  type InjectionView,
  PROFILE_LABEL,
  SIDECAR_CONTAINER,
  SIDECAR_COPY,
  type SidecarOptions,
  selects,
} from './injection/index.ts';
export { keepRegistered, type RegistrationOptions } from './registration.ts';
export { type AdmissionServer, type ReviewReport, tlsOf } from './server.ts';
export type { TranslatedWorld, ValidationView } from './validation/index.ts';
export { startWebhooks, type WebhooksOptions } from './webhooks.ts';
