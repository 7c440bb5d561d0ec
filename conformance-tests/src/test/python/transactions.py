"""Transactions by proton's own class. It leaves what it accepts unsettled until the discharge has been answered."""

from proton import Message
from proton.handlers import TransactionHandler

from peer import WAIT_SECONDS


class Progress(TransactionHandler):
    """What has become of one transaction."""

    def __init__(self):
        super().__init__()
        self.transaction = None
        self.ended = None

    def on_transaction_declared(self, event):
        self.transaction = event.transaction

    def on_transaction_committed(self, event):
        self.ended = "committed"

    def on_transaction_aborted(self, event):
        self.ended = "aborted"

    def on_transaction_commit_failed(self, event):
        self.ended = "commit failed"


class Work:
    """One transaction of a peer, declared when made."""

    def __init__(self, peer):
        self.peer = peer
        self.progress = Progress()
        peer.connection.container.declare_transaction(peer.connection.conn, handler=self.progress)
        peer.connection.wait(lambda: self.progress.transaction, timeout=WAIT_SECONDS, msg="declare")

    def send(self, sender, body):
        self.progress.transaction.send(sender.link, Message(body=body, durable=True))

    def accept(self, delivery):
        self.progress.transaction.accept(delivery)

    def commit(self):
        self.progress.transaction.commit()
        return self._end()

    def abort(self):
        self.progress.transaction.abort()
        return self._end()

    def _end(self):
        self.peer.connection.wait(lambda: self.progress.ended, timeout=WAIT_SECONDS, msg="discharge")
        return self.progress.ended
