export {
  type AwsRole,
  awsRoleOf,
  EXTERNAL_ID,
  MAX_EXTERNAL_ID,
  MAX_ROLE_ARN,
  ROLE_ARN,
  type RoleVariables,
} from './lib/aws-role.ts';
export { brokenTextAt, withoutBrokenText } from './lib/broken-text.ts';
export { isDeeperThan, MAX_DOCUMENT_DEPTH } from './lib/depth.ts';
export { mayHoldGatewayKey, withoutGatewayKeys } from './lib/gateway-keys.ts';
export { HTTP_ADDRESS, isHttpAddress } from './lib/http-address.ts';
export { createLasting, createLastingCredentials, type LastingOptions } from './lib/lasting.ts';
export { nearestName } from './lib/nearest-name.ts';
export { parseJson } from './lib/parse-json.ts';
export { assertNever, err, isObject, ok, type Result } from './lib/result.ts';
export { createSuggestions, didYouMean, type Suggest } from './lib/suggestions.ts';
export { PROCESS_METRICS, type ProcessMetric, REPLACED_GAUGES, type ReplacedGauge } from './process-metrics.ts';
export { formatPath, fromZodError, type Issue } from './schema/index.ts';
