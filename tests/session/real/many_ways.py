"""What Python's library does with processes, threads, signals, event loops and foreign functions."""
import asyncio
import concurrent.futures
import ctypes
import decimal
import hashlib
import lzma
import multiprocessing
import queue
import signal
import sqlite3
import subprocess
import threading
import zlib


def square(x):
    return x * x


async def echo(n):
    await asyncio.sleep(0.01 * n)
    process = await asyncio.create_subprocess_exec("/bin/echo", str(n), stdout=subprocess.PIPE)
    return (await process.communicate())[0]


async def echoes():
    return await asyncio.gather(*(echo(i) for i in range(5)))


def main():
    with multiprocessing.Pool(3) as pool:
        print(sum(pool.map(square, range(100))))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(sum(pool.map(lambda i: sum(hashlib.sha256(bytes([i])).digest()), range(50))))
    print(asyncio.run(echoes()))
    database = sqlite3.connect(":memory:")
    database.execute("create table t(a)")
    database.executemany("insert into t values(?)", ((i,) for i in range(500)))
    print(database.execute("select sum(a) from t").fetchall())
    alarms = []
    signal.signal(signal.SIGALRM, lambda *_: alarms.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    numbers = queue.Queue()
    producer = threading.Thread(target=lambda: [numbers.put(i) for i in range(1000)])
    producer.start()
    print(sum(numbers.get() for _ in range(1000)))
    producer.join()
    while len(alarms) < 5:
        signal.pause()
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(decimal.getcontext().divide(decimal.Decimal(1), decimal.Decimal(7)), zlib.crc32(lzma.compress(b"x" * 10000)))
    pointer = ctypes.POINTER(ctypes.c_int)
    order = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)(lambda a, b: a[0] - b[0])
    some = (ctypes.c_int * 5)(5, 2, 9, 1, 3)
    ctypes.CDLL(None).qsort(some, 5, 4, order)
    print(list(some))


if __name__ == "__main__":
    main()
