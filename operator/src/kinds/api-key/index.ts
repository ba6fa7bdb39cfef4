/** ApiKey: minted keys and their rotation. */
export { type ApiKeyControllerOptions, type ApiKeyObject, apiKeyController } from './controller.ts';
export { isMinted, type KeySecret, mintedStatus, ROTATE_ANNOTATION } from './minted.ts';
export { rbac } from './rbac.ts';
