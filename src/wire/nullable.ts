import { type TSchema, Type } from 'typebox';

export const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
