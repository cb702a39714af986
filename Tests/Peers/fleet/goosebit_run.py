"""Runs gooseBit on a loopback port, by gooseBit's own Python: `goosebit_run.py PORT`, 0 for one of the system's choice; GOOSEBIT_SETTINGS is its file. Its tables are made first. Prints `port N` when it listens. Its own start script would listen on every address of the machine."""
import asyncio
import socket
import sys
from pathlib import Path

import uvicorn
from aerich import Command
from tortoise import Tortoise

import goosebit
from goosebit.db.config import TORTOISE_CONF


async def make_tables() -> None:
    command = Command(tortoise_config=TORTOISE_CONF, app="models", location=str(Path(goosebit.__file__).parent / "db/migrations"))
    await command.init()
    await command.upgrade(run_in_transaction=True)
    await Tortoise.close_connections()


def main() -> None:
    asyncio.run(make_tables())
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", int(sys.argv[1])))
        listener.listen(64)
        print(f"port {listener.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(goosebit.app, log_level="info")).run(sockets=[listener])


if __name__ == "__main__":
    main()
