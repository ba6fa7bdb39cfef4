import { formatPath, type Issue } from '@gatehouse/crds';
import { REST_ERRORS, type RestErrorName } from '@gatehouse/crds/rest';

export interface RestErrorDetails {
  readonly message: string;
  /** The field it is about, e.g. `conditions[0].key`. */
  readonly param?: string | undefined;
  readonly issues?: readonly { readonly param: string; readonly message: string }[] | undefined;
}

/** An answer that is no success. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly error: RestErrorName;
  readonly details: RestErrorDetails;

  constructor(error: RestErrorName, details: RestErrorDetails) {
    super(details.message);
    this.error = error;
    this.details = details;
  }

  get status(): number {
    return REST_ERRORS[this.error].status;
  }
}

/** Problems of a body or a query, the first one in front. */
export function invalid(issues: readonly Issue[], where?: string): RestError {
  const found = issues.map(({ path, message }) => ({ param: formatPath(path), message }));
  const [first = { param: '', message: 'is not valid' }] = found;
  const more = found.length > 1 ? `; and ${found.length - 1} more` : '';
  const field = [where, first.param].filter((part) => part !== undefined && part !== '').join(' ');
  const message = field === '' ? `${first.message}${more}` : `${field}: ${first.message}${more}`;
  return new RestError('INVALID', { message, param: first.param === '' ? undefined : first.param, issues: found });
}

/** The body of an error, in the forms that clients of the reference read. */
export function errorBody({ error, details: { message, param, issues } }: RestError): object {
  const { code, type } = REST_ERRORS[error];
  return {
    success: false,
    errorCode: code,
    message,
    error: { code, message, param: param ?? null, type },
    ...(issues === undefined || issues.length < 2 ? {} : { issues }),
  };
}
