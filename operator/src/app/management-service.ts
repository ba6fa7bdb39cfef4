import type { OperatorOptions } from '../config/index.ts';

/** The Service of the management API, in the namespace of the organisation. */
export const MANAGEMENT_SERVICE = 'gatehouse-management';
const PORT = 9444;

/** Where gateways reach it. */
export const managementUrl = ({ organisationNamespace }: Pick<OperatorOptions, 'organisationNamespace'>): string =>
  `https://${MANAGEMENT_SERVICE}.${organisationNamespace}.svc:${PORT}`;
