// Closes a store while a call is under way, with nothing else that keeps the process; prints when both are done.
import { openStores } from '../../dist/storage/open-stores.js';

const stores = await openStores({ store: null, data: process.argv[2] });
const asked = stores.requests.secret('t');
await stores.close();
await asked;
process.stdout.write('closed\n');
