/** Checks that look at a request beside its texts. */
import type { CheckDefinition } from '../../contract.ts';
import { allowedRequestTypes } from './allowed-request-types.ts';
import { requiredMetadataKeyPairs, requiredMetadataKeys } from './metadata.ts';
import { modelRules, modelWhitelist } from './models.ts';
import { requestParametersCheck } from './request-parameters.ts';

export const REQUEST_CHECKS: readonly CheckDefinition[] = [
  modelWhitelist,
  modelRules,
  allowedRequestTypes,
  requiredMetadataKeys,
  requiredMetadataKeyPairs,
  requestParametersCheck,
];
