/** Errors of the API server as problems of writes. */
import type { Issue } from '@gatehouse/crds';
import { usersIn } from '../../../review/index.ts';
import { ApiError, hasReason, type StatusCause } from '../../../runtime/index.ts';
import type { Place, WriteProblem } from '../port.ts';

/** The object is not what it was when the change was made: it is to be read again. */
export interface Changed {
  readonly kind: 'changed';
}

/** Why a write was refused; anything else is thrown. */
export function problemOf(error: unknown, place: Place): WriteProblem | Changed {
  if (!(error instanceof ApiError)) throw error;
  switch (error.reason) {
    case 'AlreadyExists':
      return { kind: 'exists' };
    case 'NotFound':
      return error.subject?.name === place.name ? { kind: 'absent' } : { kind: 'forbidden', message: noPlace(place) };
    case 'Conflict':
      return conflictOf(error.causes);
    case 'Invalid':
      return { kind: 'invalid', issues: issuesOf(error) };
    case 'BadRequest':
      return { kind: 'invalid', issues: [{ code: 'invalid', path: [], message: error.message }] };
    case 'Forbidden':
      return { kind: 'forbidden', message: forbidden(error, place) };
    default:
      throw error;
  }
}

function conflictOf(causes: readonly StatusCause[]): WriteProblem | Changed {
  const users = usersIn(causes);
  if (users.length > 0) return { kind: 'in-use', users };
  const fields = causes.filter(({ reason }) => reason === 'FieldManagerConflict').map(({ field }) => field.slice(1));
  return fields.length === 0 ? { kind: 'changed' } : { kind: 'owned', owner: 'another field manager', fields };
}

function issuesOf({ causes, message }: ApiError): readonly Issue[] {
  if (causes.length === 0) return [{ code: 'invalid', path: [], message }];
  return causes.map(({ field, reason, message: text }) => ({
    code: reason === 'FieldValueNotSupported' ? 'unsupported' : 'invalid',
    path: toPath(field),
    message: text,
  }));
}

/** `spec.conditions[0].values` */
export const toPath = (field: string): Issue['path'] =>
  [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) => (index === undefined ? step : Number(index)));

const where = ({ namespace }: Place): string => (namespace === undefined ? '' : ` in the namespace ${namespace}`);

const noPlace = (place: Place): string =>
  `${place.kind} cannot be written${where(place)}: the namespace or the Kind does not exist in the cluster`;

function forbidden({ causes }: ApiError, place: Place): string {
  if (causes.some(({ reason }) => reason === 'NamespaceTerminating')) {
    return `${place.kind} cannot be written${where(place)}: the namespace is being deleted`;
  }
  return `${place.kind} cannot be written${where(place)}: the account of the management API has no right to, or a policy of the cluster refuses it`;
}

/** The value of a call, or undefined where the object does not exist. */
export const unlessAbsent = async <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  });
