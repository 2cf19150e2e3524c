// Answers every request with the same backup, which is the one that the bench asks for, as fast as node:http can, to measure commands without the service.
import { createServer } from 'node:http';

const body = JSON.stringify({
  id: '0b8f3f0e-3c1e-4d0f-9a54-5d2f6f3e8a11',
  version: 1,
  label: 'x',
  sections: ['store'],
});
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
