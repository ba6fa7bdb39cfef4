/** The certificate of the operator's own servers: issued, stored and renewed. */
export {
  CERTIFICATE_SECRET,
  type Certificates,
  type CertificatesOptions,
  MANAGEMENT_CERTIFICATE_SECRET,
  type ServingCertificate,
  startCertificates,
  tlsOf,
} from './certificates.ts';
export type { Lifetimes } from './plan.ts';
