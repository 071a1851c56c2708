// Opens the store in a folder and holds it until it is killed or its input ends.
import { openStores } from '../../dist/storage/open-stores.js';

try {
  const stores = await openStores({ store: null, data: process.argv[2] });
  process.stdout.write('open\n');
  process.stdin.resume().on('end', () => stores.close());
} catch (error) {
  process.stdout.write(`${error.code}: ${error.message}\n`);
}
