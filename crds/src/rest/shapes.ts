/** Shapes that several families of management operations share. */
import { z } from 'zod';

export const uuid = z.uuid();
export const dateTime = z.iso.datetime({ offset: true });
export const name = z.string().max(255);
/** Of a new object; absent: it is made of its name. */
export const slug = z.string().min(1).max(253);
/** Of an object with versions, whose names are the slug with a number. */
export const MAX_VERSIONED_SLUG = 244;
/** A JSON object that another schema checks. */
export const anyObject = z.record(z.string(), z.unknown());

/** Numbers of a query are texts. */
export const queryInt = z.coerce.number().int().min(0);

/** Pages count from zero; both spellings are accepted. */
export const paging = {
  current_page: queryInt.optional(),
  page_size: queryInt.optional(),
  currentPage: queryInt.optional(),
  pageSize: queryInt.optional(),
} as const;

/** Of a change that has nothing to say. */
export const emptyObject = anyObject;

/** Credentials of secret managers are not served: an empty list is accepted. */
export const noSecretMappings = z.array(z.unknown()).max(0, 'references to secret managers are not served').nullish();
