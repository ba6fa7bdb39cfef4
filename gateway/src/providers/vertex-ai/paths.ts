/** Hosts and paths of Vertex AI. */
import { AppError } from '../../errors/index.ts';
import { gcpProject } from '../clouds/gcp/index.ts';
import type { Call } from '../contract.ts';
import { fieldMissing, hostText, pathSegment, pathText } from '../engine/index.ts';
import { readModel } from './model.ts';

/** Every region has its own host; the global host has no region in its name. */
export function baseUrl(call: Call): string {
  const region = regionOf(call);
  const place = region === 'global' ? '' : `${hostText(region, 'vertex_region')}-`;
  return `https://${place}aiplatform.googleapis.com`;
}

/** The path of the target's project and region. Throws AppError `PROVIDER_FIELD_MISSING`. */
export function projectPath(call: Call, version: 'v1' | 'v1beta1' = 'v1'): string {
  const project = gcpProject(call.fields);
  if (project === undefined) throw fieldMissing(call.provider, 'vertex_project_id');
  const region = pathSegment(regionOf(call), 'vertex_region');
  return `/${version}/projects/${pathSegment(project, 'vertex_project_id')}/locations/${region}`;
}

/** The path of a method of a publisher's model. */
export function publisherPath(
  call: Call,
  model: { readonly publisher: string; readonly name: string },
  method: string,
): string {
  return `${projectPath(call)}/publishers/${model.publisher}/models/${pathText(model.name, 'model')}:${method}`;
}

/** Counts of all models of the publisher, whose body names the model. */
export const countPath = (call: Call): string =>
  publisherPath(call, { publisher: 'anthropic', name: 'count-tokens' }, 'rawPredict');

/**
 * The path of an endpoint, by number or by full resource name. With a stored credential the name must
 * match the account: an endpoint elsewhere would be in another project or region than its owner chose. A project's number is
 * replaced by the account's project, since it cannot be matched.
 */
export function endpointPath(call: Call, name: string): string {
  const resource = RESOURCE.exec(name);
  if (resource === null) return `${projectPath(call)}/endpoints/${pathText(name, 'model')}`;
  if (call.stored !== true) return `/v1/${pathText(name, 'model')}`;
  const [, project = '', location, endpoint = ''] = resource;
  const own = gcpProject(call.fields);
  if (location !== call.fields.text('vertex_region') || (project !== own && !/^\d+$/.test(project))) {
    throw new AppError('ACCOUNT_SETTING_REFUSED', {
      param: 'model',
      detail: 'The endpoint that the model names is in another project or region than the account',
      provider: call.provider,
    });
  }
  return `${projectPath(call)}/endpoints/${pathSegment(endpoint, 'model')}`;
}

const RESOURCE = /^projects\/([^/]+)\/locations\/([^/]+)\/endpoints\/([^/]+)$/;
const LOCATION = /^projects\/[^/]+\/locations\/([^/]+)\//;

/** The region of an endpoint: that of a full resource name, else the target's. */
function regionOf(call: Call): string {
  const { family, name } = readModel(call.model);
  const named = family === 'endpoints' && call.stored !== true ? LOCATION.exec(name)?.[1] : undefined;
  const region = named ?? call.fields.text('vertex_region');
  if (region === undefined) throw fieldMissing(call.provider, 'vertex_region');
  return region;
}
