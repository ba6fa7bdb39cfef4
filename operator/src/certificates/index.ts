/** The certificate of the operator's own servers, kept up to date without anybody's help. */
export {
  CERTIFICATE_SECRET,
  type Certificates,
  type CertificatesOptions,
  type ServingCertificate,
  startCertificates,
  tlsOf,
} from './certificates.ts';
export type { Lifetimes } from './plan.ts';
