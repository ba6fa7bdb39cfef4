/** Resources from environment variables, for a process without a folder. */
export {
  type DefaultRoute,
  defaultRouteOf,
  MOCKED,
  toResources,
} from './environment-resources.ts';
export {
  type FoundProvider,
  type FoundProviders,
  findProviders,
  USUAL_VARIABLES,
  unsendableText,
} from './found-providers.ts';
