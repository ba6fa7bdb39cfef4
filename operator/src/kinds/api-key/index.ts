/** ApiKey: minted keys and their rotation. */
export { type ApiKeyControllerOptions, type ApiKeyObject, apiKeyController } from './controller.ts';
export {
  isMinted,
  type KeySecret,
  MINTED_AT,
  mintedStatus,
  PREVIOUS_UNTIL,
  ROTATE_ANNOTATION,
  ROTATED_FOR,
} from './minted.ts';
export { rbac } from './rbac.ts';
