/** Hosts and paths of Vertex AI; spec/providers.md 3.5 and providers.yaml. */
import { gcpProject } from '../../upstream/gcp/index.ts';
import type { Call } from '../contract.ts';
import { fieldMissing, hostText, pathSegment, pathText } from '../engine/index.ts';
import { readModel } from './model.ts';

/** Every region has a host of its own, the global one has none in its name. */
export function baseUrl(call: Call): string {
  const region = regionOf(call);
  const place = region === 'global' ? '' : `${hostText(region, 'vertex_region')}-`;
  return `https://${place}aiplatform.googleapis.com`;
}

/** The path of the target's project and region. Throws AppError `PROVIDER_FIELD_MISSING`. */
export function root(call: Call, version: 'v1' | 'v1beta1' = 'v1'): string {
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
  return `${root(call)}/publishers/${model.publisher}/models/${pathText(model.name, 'model')}:${method}`;
}

const LOCATION = /^projects\/[^/]+\/locations\/([^/]+)\//;

/** An endpoint with a full resource name is served where the name says, anything else in the target's region. */
function regionOf(call: Call): string {
  const { family, name } = readModel(call.model);
  const named = family === 'endpoints' ? LOCATION.exec(name)?.[1] : undefined;
  const region = named ?? call.fields.text('vertex_region');
  if (region === undefined) throw fieldMissing(call.provider, 'vertex_region');
  return region;
}
